"""Places, colors and shapes of drawings."""

from sightline.show.drawing._boxes import BoxMaker, answer_lines, box_size, lines_in_box
from sightline.show.drawing._dot import render_dot
from sightline.show.drawing._figure import filling_axes, new_axes
from sightline.show.drawing._graph_layout import lay_out_graph
from sightline.show.drawing._layout import FONT_SIZE, MARGIN, SIZES, Direction, Layout, text_width
from sightline.show.drawing._palette import NEUTRAL, class_color, class_colors
from sightline.show.drawing._plot import draw, drawable
from sightline.show.drawing._split_charts import Chart, SplitCharts
from sightline.show.drawing._svg import render_svg
from sightline.show.drawing._text_lines import Line
from sightline.show.drawing._tidy import tidy_positions
from sightline.show.drawing._tree_layout import LEVEL_GAP, SIBLING_GAP, lay_out

__all__ = [
    "FONT_SIZE",
    "LEVEL_GAP",
    "MARGIN",
    "NEUTRAL",
    "SIBLING_GAP",
    "SIZES",
    "BoxMaker",
    "Chart",
    "Direction",
    "Layout",
    "Line",
    "SplitCharts",
    "answer_lines",
    "box_size",
    "class_color",
    "class_colors",
    "draw",
    "drawable",
    "filling_axes",
    "lay_out",
    "lay_out_graph",
    "lines_in_box",
    "new_axes",
    "render_dot",
    "render_svg",
    "text_width",
    "tidy_positions",
]
