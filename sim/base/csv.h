/* Cells of comma-separated values (RFC 4180).
 *
 * A spreadsheet runs a cell that starts with =, +, -, @, a tab or the end of a line as a formula, even if it is quoted,
 * and a formula may call other programs. Names of files, kernels and axes come from outside, so such a cell gets an
 * apostrophe in front, which makes it text. Numbers such as -3 stay as they are. */
#ifndef SIM_BASE_CSV_H
#define SIM_BASE_CSV_H

#include <stdio.h>

/* A cell, in quotes only if it needs them. */
void csv_cell(FILE *file, const char *text);

/* A cell, always in quotes. */
void csv_quoted(FILE *file, const char *text);

#endif
