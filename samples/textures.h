// Shared by the samples with textures and surfaces: arrays that free themselves, texture and
// surface objects, and what a texture gives, computed on the CPU.
#pragma once
#include "common.h"

// A CUDA array of `extent` texels (height and depth 0 where there is none).
template <typename T> class Array {
  public:
    Array(cudaExtent extent, unsigned flags = 0) : extent_(extent) {
        cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
        CHECK(cudaMalloc3DArray(&array_, &format, extent, flags));
    }
    Array(cudaExtent extent, const std::vector<T> &texels, unsigned flags = 0)
        : Array(extent, flags) {
        set(texels);
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    ~Array() { CHECK(cudaFreeArray(array_)); }
    operator cudaArray_t() const { return array_; }
    void set(const std::vector<T> &texels) {
        cudaMemcpy3DParms copy = whole();
        copy.srcPtr = linear(const_cast<T *>(texels.data()));
        copy.dstArray = array_;
        copy.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&copy));
    }
    std::vector<T> get() const {
        cudaMemcpy3DParms copy = whole();
        std::vector<T> texels(copy.extent.width * copy.extent.height * copy.extent.depth);
        copy.srcArray = array_;
        copy.dstPtr = linear(texels.data());
        copy.kind = cudaMemcpyDeviceToHost;
        CHECK(cudaMemcpy3D(&copy));
        return texels;
    }

  private:
    cudaMemcpy3DParms whole() const {
        cudaMemcpy3DParms copy = {};
        copy.extent = make_cudaExtent(extent_.width, std::max<size_t>(extent_.height, 1),
                                      std::max<size_t>(extent_.depth, 1));
        return copy;
    }
    cudaPitchedPtr linear(T *texels) const {
        return make_cudaPitchedPtr(texels, extent_.width * sizeof(T), extent_.width,
                                   std::max<size_t>(extent_.height, 1));
    }
    cudaArray_t array_ = nullptr;
    cudaExtent extent_;
};

struct Sampling {
    cudaTextureAddressMode address = cudaAddressModeClamp;
    cudaTextureFilterMode filter = cudaFilterModePoint;
    bool normalized = false; // coordinates of 0 to 1
    cudaTextureReadMode read = cudaReadModeElementType;
};

inline cudaTextureDesc description(const Sampling &how) {
    cudaTextureDesc texture = {};
    for (cudaTextureAddressMode &mode : texture.addressMode) mode = how.address;
    texture.filterMode = how.filter;
    texture.normalizedCoords = how.normalized;
    texture.readMode = how.read;
    return texture;
}

inline cudaTextureObject_t texture_of(const cudaResourceDesc &resource, const Sampling &how) {
    cudaTextureDesc texture = description(how);
    cudaTextureObject_t object = 0;
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    return object;
}

inline cudaTextureObject_t texture_of(cudaArray_t array, const Sampling &how = {}) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return texture_of(resource, how);
}

inline cudaSurfaceObject_t surface_of(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t object = 0;
    CHECK(cudaCreateSurfaceObject(&object, &resource));
    return object;
}

// The texel of a row of `size` that index `i` means; -1 for the border.
inline int addressed(cudaTextureAddressMode mode, int i, int size) {
    switch (mode) {
    case cudaAddressModeWrap:
        return ((i % size) + size) % size;
    case cudaAddressModeMirror: {
        int m = ((i % (2 * size)) + 2 * size) % (2 * size);
        return m < size ? m : 2 * size - 1 - m;
    }
    case cudaAddressModeBorder:
        return i < 0 || i >= size ? -1 : i;
    default:
        return std::min(std::max(i, 0), size - 1);
    }
}

// What a texture of float texels gives at a position in texels; filtering weights have 8 fraction
// bits. height and depth are 1 where the texture has no such dimension.
inline float sampled(const std::vector<float> &texels, int width, int height, int depth,
                     const Sampling &how, float x, float y, float z) {
    bool linear = how.filter == cudaFilterModeLinear;
    const int size[3] = {width, height, depth};
    const float at[3] = {x, y, z};
    int first[3];
    float weight[3];
    for (int i = 0; i < 3; ++i) {
        float position = linear ? at[i] - 0.5f : at[i];
        first[i] = (int)std::floor(position);
        weight[i] = linear ? std::floor((position - first[i]) * 256 + 0.5f) / 256 : 0;
        if (size[i] == 1) first[i] = 0, weight[i] = 0;
    }
    float sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        float share = 1;
        int index[3];
        for (int i = 0; i < 3; ++i) {
            bool far = corner >> i & 1;
            share *= far ? weight[i] : 1 - weight[i];
            index[i] = addressed(how.address, first[i] + far, size[i]);
        }
        if (share == 0 || index[0] < 0 || index[1] < 0 || index[2] < 0) continue;
        sum += share * texels[((size_t)index[2] * height + index[1]) * width + index[0]];
    }
    return sum;
}
