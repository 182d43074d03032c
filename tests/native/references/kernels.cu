// Device code of texture_references.c: textures by reference beside the same textures by object.
texture<int, 1, cudaReadModeElementType> line;
texture<float4, 2, cudaReadModeElementType> picture;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> bytes;
texture<float, 3, cudaReadModeElementType> volume;
texture<float, cudaTextureType2DLayered, cudaReadModeElementType> layers;
surface<void, 2> canvas;

extern "C" __global__ void by_reference(float *out, int n, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = (float)(i % 37) * scale - 0.3f * scale, y = (float)(i % 23) * scale + 0.21f * scale, z = (float)(i % 5) * scale;
    float4 p = tex2D(picture, x, y);
    out[8 * i] = (float)tex1Dfetch(line, i);
    out[8 * i + 1] = p.x;
    out[8 * i + 2] = p.y;
    out[8 * i + 3] = p.w;
    out[8 * i + 4] = tex2D(bytes, x, y);
    out[8 * i + 5] = tex3D(volume, x, y, z);
    out[8 * i + 6] = tex2DLayered(layers, x, y, i % 3);
    surf2Dwrite(i, canvas, i % 8 * 4, i / 8 % 8);
    int back;
    surf2Dread(&back, canvas, i % 8 * 4, i / 8 % 8);
    out[8 * i + 7] = (float)back;
}

extern "C" __global__ void by_object(float *out, int n, float scale, cudaTextureObject_t line, cudaTextureObject_t picture, cudaTextureObject_t bytes, cudaTextureObject_t volume, cudaTextureObject_t layers, cudaSurfaceObject_t canvas) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = (float)(i % 37) * scale - 0.3f * scale, y = (float)(i % 23) * scale + 0.21f * scale, z = (float)(i % 5) * scale;
    float4 p = tex2D<float4>(picture, x, y);
    out[8 * i] = (float)tex1Dfetch<int>(line, i);
    out[8 * i + 1] = p.x;
    out[8 * i + 2] = p.y;
    out[8 * i + 3] = p.w;
    out[8 * i + 4] = tex2D<float>(bytes, x, y);
    out[8 * i + 5] = tex3D<float>(volume, x, y, z);
    out[8 * i + 6] = tex2DLayered<float>(layers, x, y, i % 3);
    int back;
    surf2Dread(&back, canvas, i % 8 * 4, i / 8 % 8);
    out[8 * i + 7] = (float)back;
}
