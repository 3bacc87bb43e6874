/* A small kernel and launch files around it, for the tests of the command line. */
#ifndef TESTS_CLI_FIXTURE_H
#define TESTS_CLI_FIXTURE_H

/* data[i] += add for every work-item i; 64 bytes of local memory that are not used. */
extern const char fixture_kernel[];

/* Runs it over 64 work-items with add = 5 on data = 0, 1, 2, ...; `%s` stands for further keys. */
extern const char fixture_launch[];

/* Makes a fresh folder that contains kernel.wws. */
void fixture_folder(void);

/* Writes good.bin (5, 6, 7, ...) and bad.bin (one element is wrong). */
void fixture_expected(void);

#endif
