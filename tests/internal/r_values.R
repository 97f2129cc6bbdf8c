# What R gives for the sets of internal_data.py; the tests read r_values.json and need no R.
#
#   python internal_data.py FOLDER && Rscript r_values.R FOLDER > r_values.json
#
# Debian packages: r-base-core r-cran-cluster r-cran-fpc r-cran-mclust r-cran-genieclust
# r-cran-jsonlite
suppressMessages({
  library(cluster)
  library(fpc)
  library(mclust)
  library(genieclust)
})
folder <- commandArgs(trailingOnly = TRUE)[1]
sets <- c("iris", "wine", "blobs", "one_point_clusters")
MODELS <- c(spherical = "VII", diagonal = "VVI", tied = "EEE", full = "VVV")

likelihoods <- function(X, y) {
  z <- unmap(y)
  lapply(MODELS, function(model) {
    m <- mstep(data = X, modelName = model, z = z)
    if (anyNA(m$parameters$variance$sigmasq) || !is.null(attr(m, "returnCode")) &&
        attr(m, "returnCode") != 0) return(NULL)
    e <- estep(data = X, modelName = model, parameters = m$parameters)
    list(log_likelihood = e$loglik,
         bic = -bic(model, e$loglik, nrow(X), ncol(X), max(y)),
         parameters = nMclustParams(model, ncol(X), max(y)))
  })
}

values <- lapply(setNames(sets, sets), function(name) {
  frame <- read.csv(file.path(folder, paste0(name, ".csv")), header = FALSE)
  X <- as.matrix(frame[, -ncol(frame)])
  y <- as.integer(frame[[ncol(frame)]])
  d <- dist(X)
  s <- silhouette(y, d)
  f <- cluster.stats(d, y, G2 = FALSE, G3 = FALSE)
  manhattan <- dist(X, method = "manhattan")
  gdi <- outer(1:5, 1:3, Vectorize(function(i, j) generalised_dunn_index(X, y, i, j)))
  singletons <- any(table(y) == 1)
  set.seed(1)
  gap <- clusGap(X, kmeans, K.max = max(y), B = 200, d.power = 2, spaceH0 = "scaledPCA",
                 verbose = FALSE, nstart = 10, iter.max = 50)$Tab[max(y), ]
  list(
    silhouette = list(
      points = s[, "sil_width"], neighbor = s[, "neighbor"],
      clusters = unname(summary(s)$clus.avg.widths), mean = summary(s)$avg.width,
      manhattan = summary(silhouette(y, manhattan))$avg.width
    ),
    fpc = f[c("average.distance", "average.between", "average.within", "n.within", "n.between",
              "max.diameter", "min.separation", "within.cluster.ss", "dunn", "dunn2", "wb.ratio",
              "ch", "avg.silwidth")],
    fpc_manhattan = cluster.stats(manhattan, y)[c("dunn", "dunn2", "average.distance",
                                                  "average.between")],
    genieclust = list(
      calinski_harabasz = calinski_harabasz_index(X, y),
      davies_bouldin = -negated_davies_bouldin_index(X, y),
      silhouette = silhouette_index(X, y), generalised_dunn = gdi
    ),
    mclust = if (singletons) NULL else likelihoods(X, y),
    gap = as.list(gap[c("logW", "E.logW", "SE.sim")])
  )
})
versions <- lapply(c(cluster = "cluster", fpc = "fpc", mclust = "mclust",
                     genieclust = "genieclust"), function(p) as.character(packageVersion(p)))
out <- list(versions = c(list(R = paste(R.version$major, R.version$minor, sep = ".")), versions),
            sets = values)
cat(jsonlite::toJSON(out, digits = NA, auto_unbox = TRUE, null = "null", na = "null",
                     pretty = 2), "\n")
