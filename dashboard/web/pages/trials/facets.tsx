import { useState } from 'react';
import type { Order } from '../../../api/trials/rows.ts';
import { visible } from '../../../../domain/text/visible.ts';
import { FACETS, type Facet, type TrialsView } from './trials-view.ts';
import { facetLabel } from './labels.ts';
import { formatInteger } from '../../parts/numbers.ts';

interface Props {
  facets: Order['facets'];
  view: TrialsView;
  onFilter: (facet: Facet, value: string | null) => void;
}

const TITLES: Record<Facet, string> = { kind: 'Kind', status: 'End', verdict: 'Verdict', failure: 'Failure' };
/** Number of values of a facet shown at first. */
const SHOWN = 4;

/** Filters as chips, each with the number of trials of the whole research that pass it. */
export function Facets({ facets, view, onFilter }: Props) {
  const useful = FACETS.filter((facet) => Object.keys(facets[facet]).length > 1 || view[facet]);
  return (
    <div className="facet-list">
      {useful.map((facet) => (
        <FacetChips
          key={facet}
          facet={facet}
          counts={facets[facet]}
          chosen={view[facet]}
          onChoose={(value) => onFilter(facet, value)}
        />
      ))}
    </div>
  );
}

interface ChipsProps {
  facet: Facet;
  counts: Record<string, number>;
  chosen: string | undefined;
  onChoose: (value: string | null) => void;
}

function FacetChips({ facet, counts, chosen, onChoose }: ChipsProps) {
  const [all, setAll] = useState(false);
  const values = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (chosen !== undefined && counts[chosen] === undefined) values.push([chosen, 0]);
  const shown = values.filter(([value], at) => all || values.length === SHOWN + 1 || at < SHOWN || value === chosen);
  return (
    <div role="group" aria-label={TITLES[facet]} className="facet">
      <span className="facet-title">{TITLES[facet]}</span>
      {shown.map(([value, count]) => (
        <button
          key={value}
          type="button"
          className="chip"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value === chosen ? null : value)}
        >
          {visible(facetLabel(facet, value))} <span className="count">{formatInteger(count)}</span>
        </button>
      ))}
      {shown.length < values.length ? (
        <button type="button" className="chip more" onClick={() => setAll(true)}>
          {values.length - shown.length} more
        </button>
      ) : null}
    </div>
  );
}
