from clustervet._progress import ticking as ticking
