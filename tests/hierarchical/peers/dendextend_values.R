# Records what R's dendextend gives for pairs of trees: Rscript dendextend_values.R > dendextend.json
# Made with R and the Debian package r-cran-dendextend; versions are in the output.
suppressMessages(library(dendextend))
library(jsonlite)

# A linkage matrix as scipy writes it: leaves from 0, then merges in their order.
linkage_of <- function(tree) {
  n <- nrow(tree$merge) + 1
  node <- function(m) ifelse(m < 0, -m - 1, n + m - 1)
  sizes <- numeric(n - 1)
  size <- function(m) if (m < 0) 1 else sizes[m]
  for (k in seq_len(n - 1)) sizes[k] <- size(tree$merge[k, 1]) + size(tree$merge[k, 2])
  cbind(node(tree$merge[, 1]), node(tree$merge[, 2]), tree$height, sizes)
}

compared <- function(name, one, two) {
  one$labels <- two$labels <- as.character(seq_len(nrow(one$merge) + 1))
  d1 <- as.dendrogram(one); d2 <- as.dendrogram(two)
  n <- nobs(d1)
  ks <- 2:(n - 1)
  a <- lapply(ks, function(k) FM_index_R(cutree(one, k = k), cutree(two, k = k)))
  list(
    name = name, one = linkage_of(one), two = linkage_of(two), ks = ks,
    b_k = sapply(a, as.numeric),
    expected = sapply(a, function(x) attr(x, "E_FM")),
    variance = sapply(a, function(x) attr(x, "V_FM")),
    cor_cophenetic = cor_cophenetic(d1, d2),
    cor_bakers_gamma = cor_bakers_gamma(d1, d2)
  )
}

set.seed(1)
x <- matrix(rnorm(24), 12); y <- matrix(rnorm(24), 12)
near <- x + rnorm(24) / 4
grid <- as.matrix(expand.grid(0:2, 0:2))
found <- list(
  compared("average and complete", hclust(dist(x), "average"), hclust(dist(x), "complete")),
  compared("single and ward", hclust(dist(x), "single"), hclust(dist(near), "ward.D2")),
  compared("unrelated", hclust(dist(x), "average"), hclust(dist(y), "average")),
  compared("tied grid", hclust(dist(grid), "complete"), hclust(dist(grid[, 1]), "single"))
)
version <- c(R = R.version.string, dendextend = as.character(packageVersion("dendextend")))
cat(toJSON(list(version = as.list(version), pairs = found), digits = I(17), auto_unbox = TRUE), "\n")
