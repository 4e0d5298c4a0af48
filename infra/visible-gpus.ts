/** What a worker is told of the GPUs of its machine. */
export interface VisibleGpus {
  /** Its CUDA_VISIBLE_DEVICES; null, or absent: it may see all. */
  visibleGpus?: string | null | undefined;
  /** Its CUDA_DEVICE_ORDER, by which CUDA counts them; null, or absent: CUDA's default. */
  gpuOrder?: string | null | undefined;
}

/**
 * Variables of programs that a worker starts on its machine, and that hold no slot of a GPU: they see the GPUs that it may see. An
 * index is none without the order in which it counts.
 */
export const gpuVariables = ({ visibleGpus, gpuOrder }: VisibleGpus): Record<string, string> =>
  visibleGpus === null || visibleGpus === undefined
    ? {}
    : { CUDA_VISIBLE_DEVICES: visibleGpus, CUDA_DEVICE_ORDER: gpuOrder ?? 'FASTEST_FIRST' };
