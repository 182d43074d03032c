/* Names and texts of error codes, and the driver's code for one of the runtime's. */
#ifndef CASS_NAMES_OF_ERRORS_H
#define CASS_NAMES_OF_ERRORS_H

/* driver: 0 the runtime's words ("unrecognized error code" for an unknown code), 1 the driver's
 * (NULL). */
const char *cass_error_name(int code, int driver);
const char *cass_error_text(int code, int driver);

/* The bodies compute in the runtime's numbering; a few of its codes do not exist in the driver. */
int cass_driver_code(int code);

#endif
