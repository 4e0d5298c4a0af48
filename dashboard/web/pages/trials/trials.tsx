import { useCallback, useState } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { useNarrow } from '../../shell/use-narrow.ts';
import { hrefOf, setParams, useAddress } from '../../router.ts';
import { ResearchHeader, useResearch } from '../research/header.tsx';
import { Columns } from './columns.tsx';
import { Facets } from './facets.tsx';
import { Grid } from './grid.tsx';
import { PerSwitch } from './per-switch.tsx';
import { Search } from './search.tsx';
import { readSavedList, orderPath, useList } from './use-list.ts';
import {
  type Facet,
  FACETS,
  countFilters,
  paramsOf,
  pickedOf,
  pickedText,
  pickedWith,
  type Sort,
  viewOf,
} from './trials-view.ts';
import { formatInteger } from '../../parts/numbers.ts';
import { momentText } from '../../parts/zone.ts';

const NO_FILTER = Object.fromEntries([...FACETS, 'text', 'since'].map((key) => [key, null]));

/** Page with all trials of a research, with search, filters and order. */
export function Trials({ at }: { at: Record<string, string> }) {
  const research = at['id'] ?? '';
  const { params } = useAddress();
  const view = viewOf(params);
  const picked = pickedOf(params);
  const narrow = useNarrow();
  const [atTop, setAtTop] = useState(() => (readSavedList(orderPath(research, view))?.scrollTop ?? 0) === 0);
  const { shown, path, fresh, outdated, facets, error, busy, showNewest } = useList(research, view, atTop);
  const { data: head } = useResearch(research);
  const metric = head?.metric;
  const pick = useCallback((n: number) => setParams({ pick: pickedText(pickedWith(pickedNow(), n)) }), []);
  const search = useCallback((text: string | null) => setParams({ text, per: 'run' }), []);
  const total = Object.values(facets?.kind ?? {}).reduce((sum, count) => sum + count, 0);
  const filters = countFilters(view);
  const header = <ResearchHeader id={research} tab="trials" research={head} />;
  if (!facets && shown.length === 0)
    return (
      <>
        {header}
        <Empty>{error ? error.message : 'Reading the trials'}</Empty>
      </>
    );
  return (
    <div className="trials-page">
      {header}
      <section className="trials" aria-label="Trials">
        <div className="trials-bar">
          <PerSwitch research={research} per="run" />
          <Search text={view.text ?? ''} onText={search} />
          <span className="quiet small" role="status">
            {filters > 0 ? `${count(shown.length)} of ${count(total)} trials` : `${count(shown.length)} trials`}
          </span>
          {view.since === undefined ? null : (
            <button
              type="button"
              className="chip"
              aria-pressed="true"
              title="Press to show all trials"
              onClick={() => setParams({ since: null, per: 'run' })}
            >
              ended since {momentText(view.since)}
            </button>
          )}
          {filters > 0 ? (
            <button type="button" className="button" onClick={() => setParams({ ...NO_FILTER, per: 'run' })}>
              Clear filters
            </button>
          ) : null}
          <Picked research={research} picked={picked} />
        </div>
        <details className="facets" open={!narrow}>
          <summary>Filters{filters > 0 ? ` (${filters})` : ''}</summary>
          {facets ? (
            <Facets
              facets={facets}
              view={view}
              onFilter={(facet: Facet, value: string | null) => setParams({ [facet]: value, per: 'run' })}
            />
          ) : null}
        </details>
        <div className="trials-frame">
          <Grid
            research={research}
            shown={shown}
            list={path}
            sd={head?.status.baseline?.sd ?? null}
            params={Object.fromEntries(params)}
            picked={picked}
            onPick={pick}
            onAtTop={setAtTop}
            busy={busy}
            heads={
              <Columns
                view={view}
                metric={metric}
                onSort={(sort: Sort, order) => {
                  const next = paramsOf({ ...view, sort, order });
                  setParams({ sort: next.sort, order: next.order });
                }}
              />
            }
          />
          {shown.length === 0 && !busy ? <Nothing filtered={filters > 0} /> : null}
          {outdated ? (
            <button
              type="button"
              className="button fresh"
              onClick={() => {
                showNewest();
                document.querySelector('.trial-grid')?.scrollTo({ top: 0 });
              }}
            >
              {fresh > 0 ? `${count(fresh)} new` : 'The order changed: show it'}
            </button>
          ) : null}
        </div>
      </section>
    </div>
  );
}

const count = (n: number): string => formatInteger(n);

/** Reads the present picks from the address. A row that was rendered earlier may have older ones. */
const pickedNow = () => pickedOf(new URLSearchParams(location.hash.split('?')[1]));

function Nothing({ filtered }: { filtered: boolean }) {
  return (
    <Empty>
      {filtered
        ? 'No trial passes these filters.'
        : 'No trial yet. The first ones measure the unmodified version; each shows here as soon as it begins.'}
    </Empty>
  );
}

/** The trials that are picked for a comparison, with the link to it. */
function Picked({ research, picked }: { research: string; picked: readonly number[] }) {
  const [a, b] = picked;
  if (a === undefined) return null;
  return (
    <span className="picked" role="status">
      {b === undefined ? (
        <span className="quiet small">#{a} is picked: pick another one to compare</span>
      ) : (
        <a className="button primary" href={hrefOf(['compare'], { a: `${research}/${a}`, b: `${research}/${b}` })}>
          Compare #{a} and #{b}
        </a>
      )}
      <button type="button" className="button" onClick={() => setParams({ pick: null })}>
        Clear
      </button>
    </span>
  );
}
