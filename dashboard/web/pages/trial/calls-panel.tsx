import { useState } from 'react';
import type { Calls, Trial } from '../../../api/trials/trial.ts';
import { trialPath } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { formatCount, formatUsd } from '../../../../domain/text/format.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { trialRefresh } from './trial-refresh.ts';
import { Turn } from './turn.tsx';

/** Panel with the trial's model calls. They are long, so the panel reads them only when a person opens it. */
export function CallsPanel({ trial }: { trial: Trial }) {
  const [open, setOpen] = useState(false);
  const path = open ? trialPath(trial.trialId, 'calls') : null;
  const { data, error } = useResource<Calls>(path, trialRefresh(trial));
  return (
    <Panel
      title="Conversation"
      note={costOf(trial)}
      end={
        <button type="button" className="button small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide' : 'Show'}
        </button>
      }
    >
      {open ? <Turns calls={data?.calls} error={error} /> : null}
    </Panel>
  );
}

function Turns({ calls, error }: { calls: Calls['calls'] | undefined; error: Error | undefined }) {
  if (!calls) return <Empty>{error ? error.message : 'Reading the calls'}</Empty>;
  if (calls.length === 0) return <Empty>No model was called for this trial.</Empty>;
  return (
    <>
      <p className="quiet small">{plural(calls.length, 'turn')} in order; click one to unfold it.</p>
      <ol className="turns">
        {calls.map((call) => (
          <li key={call.turn}>
            <Turn call={call} unfolded={calls.length === 1} />
          </li>
        ))}
      </ol>
    </>
  );
}

const costOf = ({ tokens, usd }: Trial): string | undefined =>
  [tokens === null ? null : `${formatCount(tokens)} tokens`, usd === null ? null : formatUsd(usd)]
    .filter(Boolean)
    .join(' · ') || undefined;
