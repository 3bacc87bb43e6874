"""What `warpwait.plot` exports."""
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
