import { createFakeCompute } from '../../infra/compute/fake.ts';
import type { Compute } from '../../infra/compute.ts';
import type { TestStack } from '../../bench/support/stack.ts';

/** A host whose runs of a no-op task sleep and leave what is to be scored; the scoring is real. */
export const simulatedHost =
  (runSeconds: number) =>
  ({ host }: { host: string }): Compute =>
    createFakeCompute({
      host,
      script: () => ({ seconds: runSeconds, artefacts: [{ path: 'out.txt', content: new Uint8Array() }] }),
    });

/** Throws where trials failed: what they cost is not what a trial costs. `cached`: a knob drawn twice. */
export async function requireCompleted(query: TestStack['query']): Promise<void> {
  const others = await query<{ status: string; failure_message: string | null; n: number }>(
    `select status, failure_message, count(*)::int as n from trials where status not in ('completed', 'cached') group by 1, 2`,
  );
  if (others.length > 0) throw new Error(`Expected all trials to be completed, found ${JSON.stringify(others)}`);
}
