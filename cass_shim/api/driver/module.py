"""Module management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Module management")
fn = chapter.fn

fn("cuLinkAddData", IMPLEMENTED, "CUresult",
   "CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned int "
   "numOptions, CUjit_option *options, void **optionValues", since=5050)
fn("cuLinkAddData_v2", IMPLEMENTED, "CUresult",
   "CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned int "
   "numOptions, CUjit_option *options, void **optionValues", since=6050)
fn("cuLinkAddFile", IMPLEMENTED, "CUresult",
   "CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions, CUjit_option "
   "*options, void **optionValues", since=5050)
fn("cuLinkAddFile_v2", IMPLEMENTED, "CUresult",
   "CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions, CUjit_option "
   "*options, void **optionValues", since=6050)
fn("cuLinkComplete", IMPLEMENTED, "CUresult", "CUlinkState state, void **cubinOut, size_t *sizeOut", since=5050)
fn("cuLinkCreate", IMPLEMENTED, "CUresult",
   "unsigned int numOptions, CUjit_option *options, void **optionValues, CUlinkState *stateOut", since=5050)
fn("cuLinkCreate_v2", IMPLEMENTED, "CUresult",
   "unsigned int numOptions, CUjit_option *options, void **optionValues, CUlinkState *stateOut", since=6050)
fn("cuLinkDestroy", IMPLEMENTED, "CUresult", "CUlinkState state", since=5050)
fn("cuModuleEnumerateFunctions", IMPLEMENTED, "CUresult",
   "CUfunction *functions, unsigned int numFunctions, CUmodule mod", since=12040)
fn("cuModuleGetFunction", IMPLEMENTED, "CUresult", "CUfunction *hfunc, CUmodule hmod, const char *name", since=2000)
fn("cuModuleGetFunctionCount", IMPLEMENTED, "CUresult", "unsigned int *count, CUmodule mod", since=12040)
fn("cuModuleGetGlobal", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 *dptr, unsigned int *bytes, CUmodule hmod, const char *name", since=2000)
fn("cuModuleGetGlobal_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name", since=3020)
fn("cuModuleGetLoadingMode", IMPLEMENTED, "CUresult", "CUmoduleLoadingMode *mode", since=11070)
fn("cuModuleLoad", IMPLEMENTED, "CUresult", "CUmodule *module, const char *fname", since=2000)
fn("cuModuleLoadData", IMPLEMENTED, "CUresult", "CUmodule *module, const void *image", since=2000)
fn("cuModuleLoadDataEx", IMPLEMENTED, "CUresult",
   "CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options, void "
   "**optionValues", since=2010)
fn("cuModuleLoadFatBinary", IMPLEMENTED, "CUresult", "CUmodule *module, const void *fatCubin", since=2000)
fn("cuModuleUnload", IMPLEMENTED, "CUresult", "CUmodule hmod", since=2000)
