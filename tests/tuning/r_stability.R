# What R's fpc gives for stability, prediction strength and instability; the tests read
# r_stability.json and need no R.
#
#   Rscript r_stability.R > r_stability.json
#
# Debian packages: r-base-core r-cran-fpc r-cran-jsonlite
# Every clustering that fpc makes is kept, with the rows of the points, so that the same samples
# can be given to other programs.
suppressMessages(library(fpc))
X <- as.matrix(iris[, 1:4])
rownames(X) <- seq_len(nrow(X)) - 1
log <- list()
clusterer <- function(data, k, method = "average", ...) {
  made <- cutree(hclust(dist(data), method), k)
  log[[length(log) + 1]] <<- list(rows = as.integer(rownames(data)), labels = unname(made))
  list(result = NULL, nc = k, clusterlist = lapply(1:k, function(j) made == j),
       partition = made, clustermethod = "hclust")
}
kept <- function(run) {
  log <<- list()
  list(value = run(), fits = log)
}

boot <- lapply(c(boot = "boot", subset = "subset"), function(how) {
  set.seed(3)
  kept(function() {
    f <- clusterboot(X, B = 12, bootmethod = how, clustermethod = clusterer, k = 5, count = FALSE)
    list(jaccards = f[[paste0(how, "result")]], mean = f[[paste0(how, "mean")]],
         dissolved = f[[paste0(how, "brd")]], recovered = f[[paste0(how, "recover")]])
  })
})
strength <- lapply(c(averagedist = "averagedist", knn = "knn"), function(how) {
  set.seed(4)
  kept(function() prediction.strength(X, Gmin = 2, Gmax = 4, M = 3, clustermethod = clusterer,
                                      classification = how)$predcorr[2:4])
})
set.seed(5)
instability <- kept(function() nselectboot(X, B = 3, clustermethod = clusterer, krange = 2:4,
                                           classification = "averagedist")$stab[, 2:4])
cat(jsonlite::toJSON(list(points = unname(X), boot = boot, strength = strength,
                          instability = instability,
                          version = as.character(packageVersion("fpc"))),
                     digits = NA, auto_unbox = TRUE))
