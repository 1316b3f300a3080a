"""Trees and graphs, shown and explained."""

from sightline.show.nodes._display import GraphDisplay, TreeDisplay
from sightline.show.nodes._explain import path_text
from sightline.show.nodes._findings import counts_own_labels
from sightline.show.nodes._routes import Routes, label_merits

__all__ = ["GraphDisplay", "Routes", "TreeDisplay", "counts_own_labels", "label_merits", "path_text"]
