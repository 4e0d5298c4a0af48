import type { Research, Running } from '../../../api/research.ts';
import { describeKind } from '../../../../view/trial/verdict.ts';
import { percent } from '../../../../domain/text/format.ts';
import { Bar } from '../../parts/bar.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Sparkline } from '../../parts/chart/sparkline.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { TrialLink } from '../../parts/trial-link.tsx';
import { ElapsedTime } from '../../parts/value.tsx';

/** Panel with the trials under way, and the numbers of busy slots. */
export function UnderWay({ research: { status, running } }: { research: Research }) {
  const { workflowId: id, slots, window } = status;
  return (
    <Panel
      title="Under way"
      note={
        <>
          <Figure figure="slots.leased" scopeId={id} value={slots.leased}>
            {String(slots.leased)}
          </Figure>
          {' of '}
          <Figure figure="slots.total" scopeId={id} value={slots.total}>
            {String(slots.total)}
          </Figure>
          {' slots busy'}
          {window === null ? null : (
            <>
              {' · '}
              <Figure figure="research.window" scopeId={id} value={window}>
                {String(window)}
              </Figure>
              {' trials at once'}
            </>
          )}
        </>
      }
    >
      {running.length === 0 ? (
        <p className="quiet small">Nothing runs.</p>
      ) : (
        <ul className="under-way" tabIndex={0} aria-label="Trials under way">
          {running.map((trial) => (
            <Trial key={trial.trialId} id={id} trial={trial} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Trial({ id, trial }: { id: string; trial: Running }) {
  const { n, hypothesis, stage, slot, since, share, curve } = trial;
  return (
    <li>
      <span className="what">
        <TrialLink research={id} n={n} /> <span className="quiet">{describeKind(trial)}</span>{' '}
        {hypothesis === null ? null : <UntrustedText text={hypothesis} line max={200} />}
      </span>
      {curve.step.length > 1 ? (
        <Sparkline x={curve.step} y={curve.value} label={`progress of #${n}`} width={72} height={20} />
      ) : null}
      <span className="how small quiet">
        {stage}
        {slot === null ? null : <span title={slot}> on {shortSlot(slot)}</span>}
        {since === null ? null : (
          <>
            {' for '}
            <ElapsedTime since={since} brief />
          </>
        )}
        {share === null ? null : ` · ${percent(share)}`}
      </span>
      {share === null ? null : <Bar share={share} label={`share of the budget of #${n}`} />}
    </li>
  );
}

/** Name of a slot without the long id of its GPU. */
const shortSlot = (slot: string): string => slot.replace(/\/GPU-[0-9a-f-]{8,}$/i, '');
