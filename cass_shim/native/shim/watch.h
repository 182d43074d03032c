/* Watching the dynamic loader: objects that come are redirected before their constructors run,
 * objects that go are forgotten. */
#ifndef CASS_WATCH_H
#define CASS_WATCH_H

/* Redirects what is loaded now and was not seen before, or, with leave_alone, only remembers it.
 * The number of objects redirected, or -1 when one cannot be. */
int cass_watch_now(int leave_alone);
/* Installs the hook behind _r_debug.r_brk. 0, or -1 when this loader cannot be hooked. */
int cass_watch_loader(void);

#endif
