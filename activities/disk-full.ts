/** Below this, nothing new starts on this machine, and a run that fails is not taken for the candidate's fault. */
const DISK_FLOOR_BYTES = 512 * 1024 * 1024;

/** Why this machine has too little room for runs, in words; null where it has enough. */
export async function diskFull(freeDisk: () => Promise<number>): Promise<string | null> {
  const free = await freeDisk();
  if (free >= DISK_FLOOR_BYTES) return null;
  const mb = (bytes: number): number => Math.floor(bytes / 1024 / 1024);
  return `disk: ${mb(free)} MiB free, at least ${mb(DISK_FLOOR_BYTES)} MiB needed; make room (npx perpetua clean), it goes on by itself`;
}
