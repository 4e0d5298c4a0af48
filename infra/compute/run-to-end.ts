import type { Collected, CollectOptions, Compute, FileContent, RunSpec } from '../compute.ts';

interface Watched {
  /** Content of the run's stage. */
  stage: FileContent[];
  wanted: CollectOptions;
  signal: AbortSignal;
}

/**
 * Takes one run through all steps, from staging to removal. Returns what it left; `lost` if its supervisor ended before
 * it, and `stopped` if the signal aborted. In each case no process and no file of the run is left.
 */
export async function runToEnd(
  compute: Compute,
  spec: RunSpec,
  { stage, wanted, signal }: Watched,
): Promise<Collected | 'lost' | 'stopped'> {
  await compute.stage(spec.stageHash, stage);
  try {
    await compute.launch(spec);
    const from = spec.apart ? { stdout: 0, stderr: 0 } : 0;
    let last = '';
    for await (const event of compute.follow(spec, from, signal)) last = event.type;
    if (last === 'ended') return await compute.collect(spec, wanted);
    return last === 'lost' ? 'lost' : 'stopped';
  } finally {
    await compute.kill(spec, spec.fence);
    await compute.remove(spec);
  }
}
