import type { Pulse as PulseData } from '../../api/live/pulse.ts';
import { describePulse } from '../../../view/pulse.ts';
import { useResource } from '../data/use-resource.ts';

const EVERY_MS = 5000;

/** Signs of life of the workers and of Temporal. The page itself may be live while they stand still. */
export function Pulse() {
  const { data } = useResource<PulseData>('pulse', { everyMs: EVERY_MS, spacingMs: EVERY_MS });
  if (data === undefined) return null;
  const { still, worker, temporal } = describePulse(data);
  return (
    <span className="pulse small" data-still={still} title={TITLE}>
      {[worker, temporal].filter((words) => words !== '').join(' · ')}
    </span>
  );
}

const TITLE =
  'The newest sign of life of a worker, and the oldest workflow task that waits for one. ' +
  'From 30 s on, something stands still.';
