# What fpc gives for the sets of internal_data.py; the tests read r_indices.json and need no R.
#
#   python internal_data.py FOLDER && Rscript r_indices.R FOLDER > r_indices.json
#
# Debian packages: r-base-core r-cran-fpc r-cran-jsonlite
suppressMessages(library(fpc))
folder <- commandArgs(trailingOnly = TRUE)[1]
sets <- c("iris", "wine", "blobs", "one_point_clusters")

values <- lapply(setNames(sets, sets), function(name) {
  frame <- read.csv(file.path(folder, paste0(name, ".csv")), header = FALSE)
  X <- as.matrix(frame[, -ncol(frame)])
  y <- as.integer(frame[[ncol(frame)]])
  found <- lapply(c(euclidean = "euclidean", manhattan = "manhattan"), function(metric) {
    cluster.stats(dist(X, method = metric), y, G2 = TRUE, G3 = TRUE)[c("pearsongamma", "g2", "g3",
                                                            "clus.avg.silwidths")]
  })
  pairs <- combn(max(y), 2)
  halves <- apply(pairs, 2, function(two) {
    kept <- y %in% two
    if (sum(kept) < 3) return(0)
    dudahart2(X[kept, , drop = FALSE], ifelse(y[kept] == two[1], 1, 2))$dh
  })
  c(found, list(dudahart = halves))
})
out <- list(versions = list(R = paste(R.version$major, R.version$minor, sep = "."),
                            fpc = as.character(packageVersion("fpc"))), sets = values)
cat(jsonlite::toJSON(out, digits = NA, auto_unbox = TRUE, null = "null", na = "null",
                     pretty = 2), "\n")
