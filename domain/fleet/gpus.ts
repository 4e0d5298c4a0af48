/** A GPU as `nvidia-smi` names it. */
export interface Gpu {
  index: number;
  uuid: string;
  name: string;
  memoryMb: number;
}

/** A process on a GPU, whosever it is. */
export interface GpuUse {
  uuid: string;
  pid: number;
}

/** What `nvidia-smi --query-gpu=index,uuid,name,memory.total --format=csv,noheader,nounits` printed; lines that are none are left out. */
export const parseGpus = (text: string): Gpu[] =>
  text.split('\n').flatMap((line) => {
    const [index = '', uuid = '', ...rest] = line.split(',').map((cell) => cell.trim());
    const memoryMb = Number(rest.at(-1));
    const name = rest.slice(0, -1).join(', ');
    return /^\d+$/.test(index) && /^(GPU|MIG)-/.test(uuid) && name !== ''
      ? [{ index: Number(index), uuid, name, memoryMb: Number.isFinite(memoryMb) ? memoryMb : 0 }]
      : [];
  });

/** What `nvidia-smi --query-compute-apps=gpu_uuid,pid --format=csv,noheader,nounits` printed. */
export const parseGpuUses = (text: string): GpuUse[] =>
  text.split('\n').flatMap((line) => {
    const [uuid = '', pid = ''] = line.split(',').map((cell) => cell.trim());
    return /^(GPU|MIG)-/.test(uuid) && /^\d+$/.test(pid) ? [{ uuid, pid: Number(pid) }] : [];
  });

/** The GPUs of a host that it is meant to lend, and those of the list that are not there. */
export function chooseGpus(
  found: readonly Gpu[],
  wanted: 'auto' | readonly (string | number)[],
): { gpus: Gpu[]; missing: (string | number)[] } {
  if (wanted === 'auto') return { gpus: [...found], missing: [] };
  const named = (one: string | number): Gpu | undefined =>
    found.find(({ index, uuid }) => (typeof one === 'number' ? index === one : uuid === one || String(index) === one));
  const gpus = wanted.flatMap((one) => named(one) ?? []);
  return { gpus: [...new Set(gpus)], missing: wanted.filter((one) => !named(one)) };
}
