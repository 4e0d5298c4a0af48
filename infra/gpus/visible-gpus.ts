/** CUDA variables of a worker's environment, which restrict the GPUs of its machine. */
export interface VisibleGpus {
  /** CUDA_VISIBLE_DEVICES; null or absent: all GPUs are visible. */
  visibleGpus?: string | null | undefined;
  /** CUDA_DEVICE_ORDER, the order of CUDA's indices; null or absent: CUDA's default. */
  gpuOrder?: string | null | undefined;
}

/**
 * Variables for programs that a worker starts on its machine without a GPU slot: they see the worker's GPUs. The order
 * is always set, since an index means another GPU in another order.
 */
export const gpuVariables = ({ visibleGpus, gpuOrder }: VisibleGpus): Record<string, string> =>
  visibleGpus === null || visibleGpus === undefined
    ? {}
    : { CUDA_VISIBLE_DEVICES: visibleGpus, CUDA_DEVICE_ORDER: gpuOrder ?? 'FASTEST_FIRST' };
