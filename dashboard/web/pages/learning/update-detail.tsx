import type { Update, UpdateTrials } from '../../../api/learning.ts';
import { formatSeconds, percent } from '../../../../domain/text/format.ts';
import { formatValue } from '../../parts/numbers.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { researchPath } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { TimeAgo } from '../../parts/value.tsx';
import { BatchHealth } from './batch-health.tsx';
import { BatchTable } from './batch-table.tsx';
import { updateStateLabel, gateActionLabel, metricName, metricOf, versionName } from './labels.ts';

/** Details of an update, with the trials that trained its version. */
export function UpdateDetail({ id, update }: { id: string; update: Update }) {
  const {
    k,
    state,
    parent,
    checkpoint,
    samples,
    skipped,
    reward,
    error: half,
    legal,
    gates,
    seconds,
    reason,
    endedAt,
  } = update;
  const { data, error } = useResource<UpdateTrials>(researchPath(id, 'learning', String(k)), { research: id });
  return (
    <Panel title={`Update ${k}`} note={updateStateLabel(state)}>
      <div className="stack update">
        <p className="small">
          {parent === null ? null : <>Starts from {versionName(parent)}. </>}
          {plural(samples, 'sample')}
          {skipped === 0 ? '' : `, ${skipped} left out`}; mean reward {formatValue(reward, half)}
          {half === null ? '' : ` ± ${formatValue(half, half)}`}
          {legal === null ? '' : `, ${percent(legal)} legal`}
          {seconds === null ? '' : `; took ${formatSeconds(seconds)}`}
          {endedAt === null ? null : (
            <>
              , ended <TimeAgo at={endedAt} />
            </>
          )}
          .
        </p>
        <BatchHealth health={data} kl={metricOf(update, 'kl')} />
        {reason === null ? null : (
          <p className="small">
            <UntrustedText text={reason} line max={500} />
          </p>
        )}
        {gates.map(({ metric, then, words }, index) => (
          <p key={index} className="small">
            <span aria-hidden="true" className={`gate-sign ${then}`}>
              {then === 'halt' ? '■' : '▼'}
            </span>{' '}
            <strong>{metricName(metric)}</strong>, {gateActionLabel(then)}:{' '}
            <UntrustedText text={words} line max={500} />
          </p>
        ))}
        {checkpoint === null ? null : (
          <p className="small quiet">
            Checkpoint <code>{checkpoint}</code>
          </p>
        )}
        <h3>The trials of its batch</h3>
        {!data ? (
          <Empty>{error ? error.message : 'Reading its trials'}</Empty>
        ) : (
          <BatchTable batch={data.batch} drawn={data.drawn} k={k} />
        )}
      </div>
    </Panel>
  );
}
