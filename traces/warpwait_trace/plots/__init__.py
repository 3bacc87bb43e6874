"""Pictures of Warpwait's timelines and reports, for notebooks and for the command warpwait-plot.

    from warpwait_trace import plots
    plots.stalls("report.json")
    plots.stalls(["a.json", "b.json"], percent=True)
    plots.timeline("T.wtl", cu=0, start=0, end=2000)

Each function that draws takes `ax`, the axes to draw on (None: a new figure), and returns them; beside each is one that
gives the numbers as a pandas frame. What no picture can be made of raises PlotError. docs/plots.md shows the pictures.
Wants matplotlib, numpy and pandas.
"""
from . import figure
from .banks import (bank_table, bank_table_over_time, banks_by_line, banks_over_time, draw_banks_by_line,
                    draw_banks_over_time)
from .depths import Form, draw_hiding, form_of, hiding, hiding_table
from .inputs import Events, PlotError, is_timeline, parse_report, read_report
from .stacks import draw_stalls, draw_stalls_over_time, stall_table, stall_table_over_time, stalls, stalls_over_time
from .tracks import Rows, draw_timeline, timeline, timeline_rows

__all__ = ["Events", "Form", "PlotError", "Rows", "bank_table", "bank_table_over_time", "banks_by_line",
           "banks_over_time", "draw_banks_by_line", "draw_banks_over_time", "draw_hiding", "draw_stalls",
           "draw_stalls_over_time", "draw_timeline", "figure", "form_of", "hiding", "hiding_table", "is_timeline",
           "parse_report", "read_report", "stall_table", "stall_table_over_time", "stalls", "stalls_over_time",
           "timeline", "timeline_rows"]
