/* The version of the command and of all files that it writes. */
#ifndef SIM_BASE_VERSION_H
#define SIM_BASE_VERSION_H

#define WARPWAIT_VERSION "0.1.0"
#define WARPWAIT_DATE "2026-11-25" /* date of that version, for man pages */

#endif
