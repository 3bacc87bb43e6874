/* Reference texts generated from the rows that declare parameters, statistics, stalls and hazards. */
#ifndef TOOLS_DOCS_MANUAL_H
#define TOOLS_DOCS_MANUAL_H

/* Pages of docs/, in Markdown; the caller frees them. */
char *params_manual(void);
char *report_manual(void);
char *hazards_manual(void);
char *check_manual(void);
char *timeline_manual(void);

#endif
