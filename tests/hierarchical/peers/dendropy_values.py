"""Record what dendropy gives for pairs of trees: python dendropy_values.py > dendropy.json."""

import json
import random
import sys


def newick(names, rng):
    """A random tree with some nodes of several children."""
    parts = list(names)
    while len(parts) > 1:
        rng.shuffle(parts)
        count = min(len(parts), rng.choice([2, 2, 3]))
        parts = ["(" + ",".join(parts[:count]) + ")", *parts[count:]]
    return parts[0] + ";"


def main():
    import dendropy
    from dendropy.calculate import treecompare

    rng = random.Random(3)
    pairs = []
    for n in (4, 5, 8, 8, 12, 20, 20):
        names = [f"t{i}" for i in range(n)]
        one, two = newick(names, rng), newick(names, rng)
        found = {}
        for rooted in (True, False):
            space = dendropy.TaxonNamespace()
            mark = "force-rooted" if rooted else "force-unrooted"
            trees = [
                dendropy.Tree.get(data=text, schema="newick", rooting=mark, taxon_namespace=space)
                for text in (one, two)
            ]
            found[str(rooted)] = treecompare.symmetric_difference(*trees)
        pairs.append({"one": one, "two": two, "rooted": found["True"], "unrooted": found["False"]})
    sys.stdout.write(json.dumps({"dendropy": dendropy.__version__, "pairs": pairs}, indent=1))


if __name__ == "__main__":
    main()
