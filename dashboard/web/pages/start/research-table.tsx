import type { ResearchRow } from '../../../api/researches.ts';
import { formatCount, formatSeconds, formatUsd, unitText } from '../../../../domain/text/format.ts';
import { formatInteger, formatValue } from '../../parts/numbers.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { Figure } from '../../parts/figure.tsx';
import { PhaseBadge } from '../../parts/state/phase.tsx';
import { Sparkline } from '../../parts/chart/sparkline.tsx';
import { TimeAgo, betterDirectionLabel, gainText, halfWidth } from '../../parts/value.tsx';
import { hrefOf } from '../../router.ts';

/** Table of researches; cards on a narrow screen. */
export function ResearchTable({ researches }: { researches: readonly ResearchRow[] }) {
  return (
    <table className="researches" data-only={researches.length === 1}>
      <thead>
        <tr>
          <th scope="col">Research</th>
          <th scope="col">State</th>
          <th scope="col" className="number">
            Best ± 95 %
          </th>
          <th scope="col" className="number">
            Gain over baseline (95 %)
          </th>
          <th scope="col">Claims</th>
          <th scope="col" className="number">
            Trials
          </th>
          <th scope="col" className="number">
            Spent
          </th>
          <th scope="col" className="number">
            Changed
          </th>
        </tr>
      </thead>
      <tbody>
        {researches.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row }: { row: ResearchRow }) {
  const { id, task, proposer, phase, reason, metric, trials, spark } = row;
  return (
    <tr>
      <th scope="row">
        <a href={hrefOf(['r', id])}>{id}</a>
        <p className="quiet small">
          {task === id ? '' : `task ${task} · `}
          {proposer}
        </p>
      </th>
      <td data-label="State">
        <PhaseBadge phase={phase} reason={reason} />
      </td>
      <td className="number" data-label="Best ± 95 %">
        <Best row={row} />
      </td>
      <td className="number" data-label="Gain">
        <Gain row={row} />
      </td>
      <td data-label="Claims">
        <Sparkline
          x={spark.n}
          y={spark.value}
          label={`claims of ${metric.name}, ${betterDirectionLabel(metric.direction)}`}
          step
          end={Math.max(trials.ended, spark.n.at(-1) ?? 0)}
          width={120}
          height={28}
        />
      </td>
      <td className="number" data-label="Trials">
        <Figure figure="trials.ended" scopeId={id} value={trials.ended}>
          {formatInteger(trials.ended)}
        </Figure>
        <p className="quiet small">
          <Figure figure="trials.running" scopeId={id} value={trials.running}>
            {`${trials.running} under way`}
          </Figure>
        </p>
      </td>
      <td className="number" data-label="Spent">
        <Spent row={row} />
      </td>
      <td className="number quiet" data-label="Changed">
        <TimeAgo at={row.updatedAt} />
      </td>
    </tr>
  );
}

function Best({ row: { id, best, metric, baseline } }: { row: ResearchRow }) {
  if (best === null) return <span className="quiet">not measured yet</span>;
  const half = halfWidth(best);
  const noise = half || best.sd || baseline?.sd;
  return (
    <>
      <span className="nowrap">
        <strong>
          <Figure figure="best.value" scopeId={id} value={best.value}>
            {formatValue(best.value, noise)}
          </Figure>
        </strong>
        {half === null ? '' : ` ± ${formatValue(half, noise)}`}
      </span>
      {unitText(metric.unit)}
      <p className="quiet small">
        {plural(best.n, 'run')} · {metric.name}, {betterDirectionLabel(metric.direction)}
      </p>
    </>
  );
}

function Gain({ row: { gain, best, baseline, metric } }: { row: ResearchRow }) {
  if (best !== null && baseline === null) return <span className="quiet">unknown: no baseline</span>;
  if (gain === null) return <span className="quiet">none yet</span>;
  const [value, ...interval] = gainText(gain, baseline?.sd).split(' (');
  return (
    <>
      {value}
      {unitText(metric.unit)}
      {interval.length === 0 ? null : <p className="quiet small">{interval.join(' (').replace(/\)$/, '')}</p>}
    </>
  );
}

function Spent({ row: { id, spend } }: { row: ResearchRow }) {
  const slots = (
    <Figure figure="spend.slotSeconds" scopeId={id} value={spend.slotSeconds}>
      {formatSeconds(spend.slotSeconds)}
    </Figure>
  );
  if (spend.tokens === 0 && spend.usd === 0) return slots;
  return (
    <>
      <Figure figure="spend.usd" scopeId={id} value={spend.usd}>
        {formatUsd(spend.usd)}
      </Figure>
      <p className="quiet small">
        {slots} · {formatCount(spend.tokens)} tokens
      </p>
    </>
  );
}
