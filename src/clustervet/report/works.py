"""The works that records cite by author and year."""

from __future__ import annotations

WORKS = (
    "Aggarwal, C. C. (2015). Data Mining: The Textbook, §6.9. Springer.",
    "Akaike, H. (1974). A new look at the statistical model identification. IEEE "
    "Transactions on Automatic Control 19.",
    "Amigó, E., Gonzalo, J., Artiles, J., Verdejo, F. (2009). A comparison of extrinsic "
    "clustering evaluation metrics based on formal constraints. Information Retrieval 12.",
    "Bagga, A., Baldwin, B. (1998). Entity-based cross-document coreferencing using the "
    "vector space model. COLING-ACL.",
    "Baker, F. B. (1974). Stability of two hierarchical grouping techniques. JASA 69.",
    "Banerjee, A., Langford, J. (2004). An objective evaluation criterion for clustering. KDD.",
    "Benavoli, A., Corani, G., Mangili, F., Zaffalon, M., Ruggeri, F. (2014). A Bayesian Wilcoxon "
    "signed-rank test based on the Dirichlet process. ICML.",
    "Bezdek, J. C. (1981). Pattern Recognition with Fuzzy Objective Function Algorithms. Plenum.",
    "Bezdek, J. C., Pal, N. R. (1998). Some new indexes of cluster validity. IEEE "
    "Transactions on Systems, Man and Cybernetics B 28.",
    "Blum, A., Langford, J. (2003). PAC-MDL bounds. COLT.",
    "Bradley, P. S., Mangasarian, O. L., Street, W. N. (1997). Clustering via concave "
    "minimization. NIPS 9.",
    "Caliński, T., Harabasz, J. (1974). A dendrite method for cluster analysis. "
    "Communications in Statistics 3.",
    "Campello, R. J. G. B. (2007). A fuzzy extension of the Rand index and other related indexes "
    "for clustering and classification assessment. Pattern Recognition Letters 28.",
    "Campello, R. J. G. B., Hruschka, E. R. (2006). A fuzzy extension of the silhouette width "
    "criterion for cluster analysis. Fuzzy Sets and Systems 157.",
    "Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences. Erlbaum.",
    "Collins, L. M., Dent, C. W. (1988). Omega: a general formulation of the Rand index of cluster "
    "recovery suitable for non-disjoint solutions. Multivariate Behavioral Research 23.",
    "D'Ambrosio, A., Amodio, S., Iorio, C., Pandolfo, G., Siciliano, R. (2021). Adjusted "
    "concordance index: an extension of the adjusted Rand index to fuzzy partitions. Journal of "
    "Classification 38.",
    "Dave, R. N. (1996). Validating fuzzy partitions obtained through c-shells clustering. Pattern "
    "Recognition Letters 17.",
    "Davies, D. L., Bouldin, D. W. (1979). A cluster separation measure. IEEE Transactions "
    "on Pattern Analysis and Machine Intelligence 1.",
    "Day, W. H. E. (1985). Optimal algorithms for comparing trees with labeled leaves. Journal of "
    "Classification 2.",
    "Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. JMLR 7.",
    "Dom, B. E. (2001). An information-theoretic external cluster-validity measure. IBM "
    "Research Report.",
    "Dunn, J. C. (1974). Well-separated clusters and optimal fuzzy partitions. Journal of "
    "Cybernetics 4.",
    "Efron, B. (1982). The Jackknife, the Bootstrap and Other Resampling Plans. SIAM.",
    "Efron, B. (1987). Better bootstrap confidence intervals. JASA 82.",
    "Fang, Y., Wang, J. (2012). Selection of the number of clusters via the bootstrap method. "
    "Computational Statistics & Data Analysis 56.",
    "Fowlkes, E. B., Mallows, C. L. (1983). A method for comparing two hierarchical "
    "clusterings. JASA 78.",
    "Gagolewski, M. (2025). Normalised clustering accuracy: an asymmetric external cluster "
    "validity measure. Journal of Classification 42.",
    "Gates, A. J., Ahn, Y.-Y. (2017). The impact of random models on clustering similarity. "
    "JMLR 18.",
    "Gates, A. J., Wood, I. B., Hetrick, W. P., Ahn, Y.-Y. (2019). Element-centric "
    "clustering comparison unifies overlaps and hierarchy. Scientific Reports 9.",
    "Hartigan, J. A. (1975). Clustering Algorithms. Wiley.",
    "Hartigan, J. A., Hartigan, P. M. (1985). The dip test of unimodality. Annals of "
    "Statistics 13.",
    "Heller, K. A., Ghahramani, Z. (2005). Bayesian hierarchical clustering. ICML.",
    "Hennig, C. (2007). Cluster-wise assessment of cluster stability. Computational Statistics & "
    "Data Analysis 52.",
    "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
    "Journal of Statistics 6.",
    "Hopkins, B., Skellam, J. G. (1954). A new method for determining the type of distribution of "
    "plant individuals. Annals of Botany 18.",
    "Hruschka, E. R., Campello, R. J. G. B., de Castro, L. N. (2006). Evolving clusters in "
    "gene-expression data. Information Sciences 176.",
    "Huang, Q., Dom, B. (1995). Quantitative methods of evaluating image segmentation. ICIP.",
    "Hubert, L., Arabie, P. (1985). Comparing partitions. Journal of Classification 2.",
    "Hubert, L., Schultz, J. (1976). Quadratic assignment as a general data analysis "
    "strategy. British Journal of Mathematical and Statistical Psychology 29.",
    "Hüllermeier, E., Rifqi, M., Henzgen, S., Senge, R. (2012). Comparing fuzzy partitions: a "
    "generalization of the Rand index and related measures. IEEE Transactions on Fuzzy Systems 20.",
    "Jaccard, P. (1901). Distribution de la flore alpine dans le bassin des Dranses et dans "
    "quelques régions voisines. Bulletin de la Société Vaudoise des Sciences Naturelles 37.",
    "Jonker, R., Volgenant, A. (1987). A shortest augmenting path algorithm for dense and "
    "sparse linear assignment problems. Computing 38.",
    "Kaufman, L., Rousseeuw, P. J. (1990). Finding Groups in Data. Wiley.",
    "Kobren, A., Monath, N., Krishnamurthy, A., McCallum, A. (2017). A hierarchical algorithm for "
    "extreme clustering. KDD.",
    "Krichevsky, R., Trofimov, V. (1981). The performance of universal encoding. IEEE "
    "Transactions on Information Theory 27.",
    "Lancichinetti, A., Fortunato, S., Kertész, J. (2009). Detecting the overlapping and "
    "hierarchical community structure in complex networks. New Journal of Physics 11.",
    "Larsen, B., Aone, C. (1999). Fast and effective text mining using linear-time document "
    "clustering. KDD.",
    "Loader, C. (2000). Fast and accurate computation of binomial probabilities.",
    "McDaid, A. F., Greene, D., Hurley, N. (2011). Normalized mutual information to evaluate "
    "overlapping community finding algorithms. arXiv:1110.2515.",
    "Meilă, M. (2007). Comparing clusterings - an information based distance. Journal of "
    "Multivariate Analysis 98.",
    "Meilă, M., Heckerman, D. (2001). An experimental comparison of model-based clustering "
    "methods. Machine Learning 42.",
    "Mielke, P. W., Berry, K. J. (2007). Permutation Methods: A Distance Function Approach. "
    "Springer.",
    "Mirkin, B. G., Cherny, L. B. (1970). Measurement of the distance between distinct "
    "partitions of a finite set of objects. Automation and Remote Control 31.",
    "Mottin, D. Clustering Validation (lecture, Data Mining).",
    "Moulavi, D., Jaskowiak, P. A., Campello, R. J. G. B., Zimek, A., Sander, J. (2014). "
    "Density-based clustering validation. SDM.",
    "Perotti, J. I., Tessone, C. J., Caldarelli, G. (2015). Hierarchical mutual information for "
    "the comparison of hierarchical community structures in complex networks. Physical Review E "
    "92.",
    "Rand, W. M. (1971). Objective criteria for the evaluation of clustering methods. JASA 66.",
    "Rezaei, M., Fränti, P. (2016). Set matching measures for external cluster validity. "
    "IEEE TKDE 28.",
    "Robinson, D. F., Foulds, L. R. (1981). Comparison of phylogenetic trees. Mathematical "
    "Biosciences 53.",
    "Rosenberg, A., Hirschberg, J. (2007). V-measure: a conditional entropy-based external "
    "cluster evaluation measure. EMNLP-CoNLL.",
    "Rousseeuw, P. J. (1987). Silhouettes: a graphical aid to the interpretation and "
    "validation of cluster analysis. Journal of Computational and Applied Mathematics 20.",
    "Salton, G., Buckley, C. (1988). Term-weighting approaches in automatic text retrieval. "
    "Information Processing & Management 24.",
    "Schwarz, G. (1978). Estimating the dimension of a model. Annals of Statistics 6.",
    "Şenbabaoğlu, Y., Michailidis, G., Li, J. Z. (2014). Critical limitations of consensus "
    "clustering in class discovery. Scientific Reports 4.",
    "Shannon, C. E. (1948). A mathematical theory of communication. Bell System Technical "
    "Journal 27.",
    "Singhal, A., Pereira, F. (1999). Document expansion for speech retrieval. SIGIR.",
    "Sneath, P. H. A. (1957). The application of computers to taxonomy. Journal of General "
    "Microbiology 17.",
    "Sokal, R. R., Michener, C. D. (1958). A statistical method for evaluating systematic "
    "relationships. University of Kansas Science Bulletin 38.",
    "Sokal, R. R., Rohlf, F. J. (1962). The comparison of dendrograms by objective methods. Taxon "
    "11.",
    "Strehl, A., Ghosh, J. (2002). Cluster ensembles. JMLR 3.",
    "Sørensen, T. (1948). A method of establishing groups of equal amplitude in plant "
    "sociology. Biologiske Skrifter 5.",
    "Tao, T., Wang, X., Mei, Q., Zhai, C. (2006). Language model information retrieval with "
    "document expansion. HLT-NAACL.",
    "Tibshirani, R., Walther, G. (2005). Cluster validation by prediction strength. Journal of "
    "Computational and Graphical Statistics 14.",
    "Tibshirani, R., Walther, G., Hastie, T. (2001). Estimating the number of clusters in a "
    "data set via the gap statistic. Journal of the Royal Statistical Society B 63.",
    "van Dongen, S. (2000). Performance criteria for graph clustering and Markov cluster "
    "experiments. CWI report INS-R0012.",
    "van Rijsbergen, C. J. (1979). Information Retrieval. Butterworths.",
    "Vinh, N. X., Epps, J., Bailey, J. (2010). Information theoretic measures for "
    "clusterings comparison. JMLR 11.",
    "Wallace, D. L. (1983). A method for comparing two hierarchical clusterings: comment. JASA 78.",
    "Ward, J. H. (1963). Hierarchical grouping to optimize an objective function. JASA 58.",
    "Willems, F. M. J., Shtarkov, Y. M., Tjalkens, T. J. (1995). The context-tree weighting "
    "method: basic properties. IEEE Transactions on Information Theory 41.",
    "Xie, X. L., Beni, G. (1991). A validity measure for fuzzy clustering. IEEE "
    "Transactions on Pattern Analysis and Machine Intelligence 13.",
    "Yang, J., Leskovec, J. (2013). Overlapping community detection at scale: a nonnegative matrix "
    "factorization approach. WSDM.",
)
