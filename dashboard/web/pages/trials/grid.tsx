import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useNarrow } from '../../shell/use-narrow.ts';
import { hrefOf } from '../../router.ts';
import { COLUMNS } from './columns.tsx';
import { Row } from './row.tsx';
import { RowStore } from './row-store.ts';
import { saveList, readSavedList } from './use-list.ts';
import { nextIndex } from './next-index.ts';

interface Props {
  research: string;
  /** Numbers of the trials in their order. */
  shown: readonly number[];
  /** The list by its address below the API: a list that a person left is found by it. */
  list: string;
  sd: number | null;
  /** The parameters of the list, which a trial that is opened keeps for the way back. */
  params: Record<string, string>;
  picked: readonly number[];
  onPick: (n: number) => void;
  onAtTop: (atTop: boolean) => void;
  heads: ReactNode;
  busy: boolean;
}

/** Rows outside of sight that are drawn, too. */
const OVERSCAN = 8;
const HEIGHT = { wide: 46, narrow: 96 };
/** Of the titles, which stand above the rows and stay in sight. */
const HEADS = 36;

/** The trials as a grid of which only the rows in sight are in the page: 50,000 of them scroll as 50 do. */
export function Grid({ research, shown, list, sd, params, picked, onPick, onAtTop, heads, busy }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const left = readSavedList(list);
  const [active, setActive] = useState<number | null>(left?.active ?? null);
  const height = useNarrow() ? HEIGHT.narrow : HEIGHT.wide;
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
    initialOffset: left?.scrollTop ?? 0,
    scrollMargin: HEADS,
    scrollPaddingStart: HEADS,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const items = virtual.getVirtualItems();
  const [from, to] = [items[0]?.index ?? 0, (items.at(-1)?.index ?? -1) + 1];
  const store = useStore(research);
  useEffect(() => store.want(shown.slice(from, to)), [store, shown, from, to]);
  useLeaving({ list, shown, active, scroller });

  const hrefFor = (n: number) => hrefOf(['r', research, 'trials', String(n)], params);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = active === null ? -1 : shown.indexOf(active);
    if (event.key === 'Enter' && active !== null) return void (location.hash = hrefFor(active));
    if (event.key === ' ' && active !== null) {
      event.preventDefault();
      return onPick(active);
    }
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / height) - 2);
    const next = nextIndex(event.key, { at, page, length: shown.length });
    if (next === null) return;
    event.preventDefault();
    setActive(shown[next] ?? null);
    virtual.scrollToIndex(next);
  };
  const drawn = active !== null && items.some(({ index }) => shown[index] === active);
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label="Trials"
      aria-rowcount={shown.length + 1}
      aria-colcount={COLUMNS.length}
      aria-multiselectable="true"
      aria-busy={busy}
      {...(drawn ? { 'aria-activedescendant': `trial-${active}` } : {})}
      tabIndex={0}
      className="trial-grid"
      onKeyDown={onKeyDown}
      onScroll={(event) => onAtTop(event.currentTarget.scrollTop < height / 2)}
    >
      {heads}
      <div role="rowgroup" className="trial-rows" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const n = shown[index];
          return n === undefined ? null : (
            <Row
              key={n}
              n={n}
              row={store.rowOf(n)}
              sd={sd}
              href={hrefFor(n)}
              place={{ index, top: start - HEADS }}
              active={n === active}
              picked={picked.includes(n)}
              onPick={onPick}
            />
          );
        })}
      </div>
    </div>
  );
}

function useStore(research: string): RowStore {
  const store = useMemo(() => new RowStore(research), [research]);
  useSyncExternalStore(store.subscribe, store.version);
  return store;
}

interface Leaving {
  list: string;
  shown: readonly number[];
  active: number | null;
  scroller: { current: HTMLDivElement | null };
}

/** Notes how a list was left when it goes, and brings it back so when it comes again. */
function useLeaving({ list, shown, active, scroller }: Leaving): void {
  const last = useRef({ shown, active, scrollTop: 0 });
  useEffect(() => {
    last.current = { ...last.current, shown, active };
  });
  useEffect(() => {
    // Somebody comes back from a trial, and goes on with the keys.
    if (readSavedList(list)?.active) scroller.current?.focus({ preventScroll: true });
  }, []); // only when the page is drawn first
  useEffect(() => {
    const element = scroller.current;
    element?.scrollTo({ top: readSavedList(list)?.scrollTop ?? 0 });
    const note = () => {
      last.current.scrollTop = element?.scrollTop ?? 0;
    };
    note();
    element?.addEventListener('scroll', note, { passive: true });
    return () => {
      element?.removeEventListener('scroll', note);
      if (last.current.shown.length > 0) saveList(list, last.current);
    };
  }, [list, scroller]);
}
