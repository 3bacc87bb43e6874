/* Which events are kept: see timeline_file.h. */
#ifndef TRACES_TIMELINE_WINDOW_H
#define TRACES_TIMELINE_WINDOW_H

#include "traces/timeline_file.h"

bool timeline_window_has(const struct timeline_window *window, const struct timeline_event *event);

#endif
