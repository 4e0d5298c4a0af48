import type { Learning } from '../../../api/learning.ts';
import { percent } from '../../../../domain/text/format.ts';
import { formatValue } from '../../parts/numbers.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { versionName } from './labels.ts';

/** State of the learning in five numbers, and the reason if it is halted or pinned. */
export function Summary({ learning }: { learning: Learning }) {
  const { algorithm, version, pinned, halted, batch, updates } = learning;
  const last = updates.findLast(({ reward }) => reward !== null);
  const unpin = learning.commands.find(({ command }) => command.endsWith(' --off'))?.command;
  return (
    <>
      {halted === null && !pinned ? null : (
        <div className="troubles" role="status">
          {halted === null ? null : (
            <p>
              <strong>Learning is halted.</strong>{' '}
              <UntrustedText text={/[.!?]$/.test(halted) ? halted : `${halted}.`} line /> To go on learning, use a
              command below.
            </p>
          )}
          {pinned ? (
            <p>
              <strong>Pinned to {versionName(version)}.</strong> This version draws every proposal. The policy learns
              nothing.
              {unpin === undefined ? null : (
                <>
                  {' '}
                  To learn again: <code>{unpin}</code>
                </>
              )}
            </p>
          ) : null}
        </div>
      )}
      <dl className="stats">
        <div className="stat">
          <dt>In force</dt>
          <dd>{versionName(version)}</dd>
          {learning.origin === null ? null : (
            <dd className="stat-note">
              began with <UntrustedText text={learning.origin} line />
            </dd>
          )}
          {learning.heirs.map((line) => (
            <dd className="stat-note" key={line}>
              base of others: <UntrustedText text={line} line />
            </dd>
          ))}
        </div>
        <div className="stat">
          <dt>Learns by</dt>
          <dd>{algorithm ?? 'nothing: it only samples'}</dd>
        </div>
        <div className="stat">
          <dt>Mean reward of the last batch</dt>
          <dd>{formatValue(last?.reward)}</dd>
          <dd className="stat-note">{last ? `update ${last.k}, ${last.samples} samples` : 'no batch has ended'}</dd>
        </div>
        <div className="stat">
          <dt>Legal share of the last batch</dt>
          <dd>{typeof last?.legal === 'number' ? percent(last.legal) : '–'}</dd>
          <dd className="stat-note">proposals that were not rejected</dd>
        </div>
        <div className="stat batch">
          <dt>{batch === null ? 'Batch' : `Batch of update ${batch.k}`}</dt>
          <dd>{batch === null ? 'none is filling' : `${batch.ended} of ${batch.of} ended`}</dd>
          {batch === null ? null : (
            <dd className="stat-note">
              <meter min={0} max={batch.of} value={batch.ended} aria-label="Samples that have ended" />
              {batch.joined} samples have joined
            </dd>
          )}
        </div>
      </dl>
    </>
  );
}
