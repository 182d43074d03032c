/* Joining PTX texts: see link_ptx.h. Source: PTX ISA, Directives; Linking Directives. */
#include "driver/link_ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/state.h"

enum { UNRESOLVED = 300, LONGEST_NAME = 512, HEADER_BYTES = 128 };

/* One statement of a module's outermost level. */
typedef struct {
    const char *start, *end;
    const char *name; /* of a function or variable; NULL for other directives */
    size_t name_bytes;
    enum { LOCAL, EXTERN, VISIBLE, WEAK } linkage;
    int defines, header, shared, entry;
} statement;

static const char *skip_space(const char *at) {
    for (;;) {
        if (isspace((unsigned char)*at)) at++;
        else if (at[0] == '/' && at[1] == '/') at += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            if (!end) return at + strlen(at);
            at = end + 2;
        } else return at;
    }
}

/* What follows a quoted text, a comment or one character. */
static const char *step(const char *at) {
    if (*at == '"') {
        for (at++; *at && *at != '"'; at++)
            if (*at == '\\' && at[1]) at++;
        return *at ? at + 1 : at;
    }
    const char *after = at[0] == '/' ? skip_space(at) : at;
    return after > at ? after : at + 1;
}

static int is_directive(const char *at, const char *word) {
    size_t length = strlen(word);
    return strncmp(at, word, length) == 0 && !isalnum((unsigned char)at[length]) &&
           at[length] != '_';
}

/* Directives that end with their line. */
static int is_line(const char *at) {
    return is_directive(at, ".version") || is_directive(at, ".target") ||
           is_directive(at, ".address_size") || is_directive(at, ".file") ||
           is_directive(at, ".loc");
}

static const char *statement_end(const char *at) {
    if (is_line(at)) return at + strcspn(at, "\n");
    for (int depth = 0; *at; at = step(at)) {
        if (*at == '{') depth++;
        if (*at == '}' && --depth <= 0) {
            const char *next = skip_space(at + 1); /* an initialiser's brace ends before a ';' */
            return *next == ';' ? next + 1 : at + 1;
        }
        if (*at == ';' && !depth) return at + 1;
    }
    return at;
}

/* The name: the first identifier after the state space or .func that is in no parentheses. */
static void find_name(statement *s, const char *at) {
    while (at < s->end) {
        at = skip_space(at);
        if (*at == '(') {
            for (int depth = 0; at < s->end; at++) {
                depth += (*at == '(') - (*at == ')');
                if (!depth) break;
            }
            at++;
        } else if (*at == '.' || isdigit((unsigned char)*at)) {
            for (at++; isalnum((unsigned char)*at) || *at == '_' || *at == ':';) at++;
        } else {
            s->name = at;
            while (isalnum((unsigned char)*at) || *at == '_' || *at == '$' || *at == '%') at++;
            s->name_bytes = (size_t)(at - s->name);
            return;
        }
    }
}

static void classify(statement *s) {
    const char *at = s->start;
    s->header = is_directive(at, ".version") || is_directive(at, ".target") ||
                is_directive(at, ".address_size");
    static const char *const linkages[] = {".extern", ".visible", ".weak", ".common"};
    for (int i = 0; i < 4; i++)
        if (is_directive(at, linkages[i])) {
            s->linkage = i < 3 ? EXTERN + i : WEAK;
            at = skip_space(at + strlen(linkages[i]));
        }
    int function = is_directive(at, ".func") || is_directive(at, ".entry");
    s->entry = is_directive(at, ".entry");
    s->shared = is_directive(at, ".shared");
    if (!function && !s->shared && !is_directive(at, ".global") && !is_directive(at, ".const"))
        return;
    s->defines = s->linkage != EXTERN && (!function || s->end[-1] == '}');
    find_name(s, at + 1 + strcspn(at + 1, " \t\r\n("));
    if (s->name && !s->name_bytes) s->name = NULL;
}

/* The next statement; 0 at the end of the text. */
static int next_statement(const char **at, statement *s) {
    *s = (statement){.start = skip_space(*at)};
    if (!*s->start) return 0;
    s->end = *at = statement_end(s->start);
    classify(s);
    return 1;
}

static int same_name(const statement *a, const statement *b) {
    return a->name && b->name && a->name_bytes == b->name_bytes &&
           memcmp(a->name, b->name, a->name_bytes) == 0;
}

/* The first definition of the statement's name in a text. */
static int find_definition(const char *text, const statement *wanted, statement *found) {
    while (next_statement(&text, found))
        if (found->defines && same_name(found, wanted)) return 1;
    return 0;
}

int cass_ptx_defines(const cass_ptx_part *parts, const char *name) {
    statement found, wanted = {.name = name, .name_bytes = strlen(name)};
    for (; parts; parts = parts->next) {
        if (!find_definition(parts->text, &wanted, &found) || found.linkage == LOCAL) continue;
        return found.linkage == WEAK ? 2 : 1;
    }
    return 0;
}

static int say(const statement *s, int result, char *named, size_t room) {
    snprintf(named, room, "%.*s",
             (int)(s->name_bytes < LONGEST_NAME ? s->name_bytes : LONGEST_NAME), s->name);
    return result;
}

int cass_ptx_is_text(const char *text) {
    statement s;
    return next_statement(&text, &s) && s.header;
}

static int in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

/* A text in which a symbol has a number behind its name; the old text is freed. */
static int rename_symbol(char **text, const statement *s, int number) {
    char *renamed = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&renamed, &bytes);
    if (!out) return OUT_OF_MEMORY;
    for (const char *at = *text; *at;) {
        const char *end = at;
        while (in_name(*end)) end++;
        int same = (size_t)(end - at) == s->name_bytes && !memcmp(at, s->name, s->name_bytes) &&
                   (at == *text || at[-1] != '.'); /* .x of %tid.x is no name */
        if (end == at) end = step(at);
        fwrite(at, 1, (size_t)(end - at), out);
        if (same) fprintf(out, "_of_%d", number);
        at = end;
    }
    if (fclose(out)) {
        free(renamed);
        return OUT_OF_MEMORY;
    }
    free(*text);
    *text = renamed;
    return OK;
}

/* Two definitions of one name: renames the one that only its own text can see, if any. `changed`:
 * whether one was, so that what was read of the texts is gone. */
static int settle(char **text, const statement *s, cass_ptx_part *part, const statement *other,
                  int *number, int *changed, char *named, size_t room) {
    if (s->linkage == VISIBLE && other->linkage == VISIBLE)
        return say(s, s->entry ? UNRESOLVED : UNKNOWN_ERROR, named, room);
    if (s->linkage != LOCAL && other->linkage != LOCAL) return OK;
    *changed = 1;
    return s->linkage == LOCAL ? rename_symbol(text, s, (*number)++)
                               : rename_symbol(&part->text, other, (*number)++);
}

/* Settles the first name that is defined twice, if one is. */
static int settle_one(cass_ptx_part *before, char **text, int *number, int *changed, char *named,
                      size_t room) {
    statement s, other;
    *changed = 0;
    for (const char *at = *text; next_statement(&at, &s);) {
        if (!s.defines) continue;
        for (cass_ptx_part *part = before; part; part = part->next) {
            if (!find_definition(part->text, &s, &other)) continue;
            int result = settle(text, &s, part, &other, number, changed, named, room);
            if (result || *changed) return result;
        }
    }
    return OK;
}

int cass_ptx_add(cass_ptx_part **parts, char *text, char *named, size_t room) {
    int result = OK, number = 1, changed = 1;
    cass_ptx_part **last = parts, *made = malloc(sizeof *made);
    for (; *last; last = &(*last)->next) number += 100; /* names of each text: its number first */
    while (!result && changed) result = settle_one(*parts, &text, &number, &changed, named, room);
    if (!made || result) {
        free(text);
        free(made);
        return result ? result : OUT_OF_MEMORY;
    }
    *made = (cass_ptx_part){text, NULL};
    *last = made;
    return OK;
}

void cass_ptx_drop(cass_ptx_part *parts) {
    while (parts) {
        cass_ptx_part *next = parts->next;
        free(parts->text);
        free(parts);
        parts = next;
    }
}

/* Functions that the CUDA runtime and its device library give to device code. */
static int is_provided(const statement *s) {
    static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (s->name_bytes == strlen(names[i]) && !memcmp(s->name, names[i], s->name_bytes))
            return 1;
    return strncmp(s->name, "cuda", 4) == 0 || strncmp(s->name, "__cuda", 6) == 0;
}

/* Whether a text says the name again beside declaring it: what is never used needs no definition.
 */
static int is_used(const char *text, const statement *s) {
    int times = 0;
    for (const char *at = text; (at = memchr(at, s->name[0], strlen(at))) != NULL; at++) {
        if (at > text && in_name(at[-1])) continue;
        times += !strncmp(at, s->name, s->name_bytes) && !in_name(at[s->name_bytes]);
    }
    return times > 1;
}

/* Whether a statement of `part` belongs into the joined text; 300 when it declares what nobody
 * defines. */
static int is_wanted(const cass_ptx_part *parts, const cass_ptx_part *part, const statement *s,
                     int *wanted) {
    statement found;
    *wanted = !s->header;
    if (!s->name || s->header) return OK;
    const cass_ptx_part *at = parts;
    if (s->linkage == EXTERN && !(s->shared)) {
        while (at && !find_definition(at->text, s, &found)) at = at->next;
        int provided = is_provided(s);
        if (!at && !provided && is_used(part->text, s)) return UNRESOLVED;
        *wanted = !at && provided;
    } else if (s->linkage == WEAK && s->defines) {
        while (at != part && !find_definition(at->text, s, &found)) at = at->next;
        *wanted = at == part;
    }
    return OK;
}

/* The newest version and the first target of all texts. */
static void write_header(const cass_ptx_part *parts, FILE *out) {
    char version[HEADER_BYTES] = ".version 7.0", target[HEADER_BYTES] = ".target sm_80";
    double newest = 0;
    for (const cass_ptx_part *part = parts; part; part = part->next) {
        const char *at = part->text;
        statement s;
        while (next_statement(&at, &s) && s.header) {
            int bytes = (int)(s.end - s.start);
            double number = strtod(s.start + strlen(".version"), NULL);
            if (is_directive(s.start, ".version") && number > newest) {
                newest = number;
                snprintf(version, sizeof version, "%.*s", bytes, s.start);
            }
            if (part == parts && is_directive(s.start, ".target"))
                snprintf(target, sizeof target, "%.*s", bytes, s.start);
        }
    }
    fprintf(out, "%s\n%s\n.address_size 64\n", version, target);
}

int cass_ptx_join(const cass_ptx_part *parts, char **joined, char *named, size_t room) {
    size_t bytes = 0;
    int result = OK;
    FILE *out = open_memstream(joined, &bytes);
    if (!out) return OUT_OF_MEMORY;
    write_header(parts, out);
    for (const cass_ptx_part *part = parts; part && !result; part = part->next) {
        const char *at = part->text;
        statement s;
        while (!result && next_statement(&at, &s)) {
            int wanted;
            result = is_wanted(parts, part, &s, &wanted);
            if (result) say(&s, result, named, room);
            else if (wanted) fprintf(out, "%.*s\n", (int)(s.end - s.start), s.start);
        }
    }
    if (fclose(out) && !result) result = OUT_OF_MEMORY;
    if (!result) return OK;
    free(*joined);
    *joined = NULL;
    return result;
}
