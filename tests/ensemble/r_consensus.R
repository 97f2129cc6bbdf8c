# What R's ConsensusClusterPlus gives; the tests read r_consensus.json and need no R.
#
#   Rscript r_consensus.R > r_consensus.json
#
# Debian packages: r-base-core r-bioc-consensusclusterplus r-cran-jsonlite
# Every clustering that it makes is kept, with the points of its sample.
suppressMessages(library(ConsensusClusterPlus))
X <- as.matrix(iris[seq(1, 150, 3), 1:4])
rownames(X) <- seq_len(nrow(X)) - 1
log <- list()
average <- function(distances, k) {
  made <- cutree(hclust(distances, "average"), k)
  log[[length(log) + 1]] <<- list(k = k, rows = as.integer(attr(distances, "Labels")),
                                  labels = unname(made))
  made
}
pdf(NULL)
sink(stderr())
found <- ConsensusClusterPlus(dist(X), maxK = 4, reps = 15, pItem = 0.7, clusterAlg = "average",
                              distance = "euclidean", seed = 7, plot = NULL)
scores <- calcICL(found, plot = NULL)
sink()
cat(jsonlite::toJSON(list(
  fits = log,
  matrices = lapply(found[2:4], function(one) unname(one$consensusMatrix)),
  classes = lapply(found[2:4], function(one) unname(one$consensusClass)),
  clusters = scores$clusterConsensus, objects = scores$itemConsensus,
  version = as.character(packageVersion("ConsensusClusterPlus"))
), digits = NA, auto_unbox = TRUE, na = "null"))
