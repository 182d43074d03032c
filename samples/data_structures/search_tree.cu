// A binary search tree in arrays: recursive look-up and rank in device code, against a sorted
// vector.
// features: recursion, struct_param
#include "../common.h"

struct Tree {
    const int *key, *left, *right, *size;
};

__device__ __noinline__ int depth_of(const Tree &tree, int node, int key) {
    if (node < 0) return -1;
    if (tree.key[node] == key) return 0;
    int below = depth_of(tree, key < tree.key[node] ? tree.left[node] : tree.right[node], key);
    return below < 0 ? -1 : below + 1;
}

__device__ __noinline__ int rank_of(const Tree &tree, int node, int key) {
    if (node < 0) return 0;
    if (key <= tree.key[node]) return rank_of(tree, tree.left[node], key);
    int left = tree.left[node] < 0 ? 0 : tree.size[tree.left[node]];
    return left + 1 + rank_of(tree, tree.right[node], key);
}

__global__ void look_up(Tree tree, const int *queries, int *depths, int *ranks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    depths[i] = depth_of(tree, 0, queries[i]);
    ranks[i] = rank_of(tree, 0, queries[i]);
}

int main() {
    const int n = 300, m = 400;
    std::vector<int> key, left, right, size, depth, sorted;
    Random random(27);
    while ((int)key.size() < n) {
        int value = (int)random.below(2000), node = 0, level = 0;
        if (std::count(key.begin(), key.end(), value)) continue;
        if (!key.empty())
            for (;; ++level) {
                int &child = value < key[node] ? left[node] : right[node];
                if (child < 0) {
                    child = (int)key.size();
                    ++level;
                    break;
                }
                node = child;
            }
        key.push_back(value), left.push_back(-1), right.push_back(-1), size.push_back(1),
            depth.push_back(level);
    }
    for (int i = n - 1; i >= 0; --i)
        size[i] = 1 + (left[i] < 0 ? 0 : size[left[i]]) + (right[i] < 0 ? 0 : size[right[i]]);
    sorted = key;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> queries(m), depths(m), ranks(m);
    for (int i = 0; i < m; ++i) {
        queries[i] = i < n ? key[i] : (int)random.below(2000);
        auto at = std::find(key.begin(), key.end(), queries[i]);
        depths[i] = at == key.end() ? -1 : depth[at - key.begin()];
        ranks[i] =
            (int)(std::lower_bound(sorted.begin(), sorted.end(), queries[i]) - sorted.begin());
    }
    Device<int> dkey(key), dleft(left), dright(right), dsize(size), dqueries(queries), ddepths(m),
        dranks(m);
    look_up<<<4, 128>>>(Tree{dkey, dleft, dright, dsize}, dqueries, ddepths, dranks, m);
    finish();
    std::printf("deepest %d\n", *std::max_element(depths.begin(), depths.end()));
    print_digest("ranks", dranks.get());
    return verdict("search_tree",
                   count_different(ddepths.get(), depths) + count_different(dranks.get(), ranks));
}
