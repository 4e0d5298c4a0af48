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
  /** Numbers of the trials, in order. */
  shown: readonly number[];
  /** API path of the list, which is the key of the saved position. */
  list: string;
  sd: number | null;
  /** Parameters of the list. The link to a trial keeps them for the way back. */
  params: Record<string, string>;
  picked: readonly number[];
  onPick: (n: number) => void;
  onAtTop: (atTop: boolean) => void;
  heads: ReactNode;
  busy: boolean;
}

/** Number of rows drawn on either side of the visible ones. */
const OVERSCAN = 8;
/** Height of a row in pixels. */
const HEIGHT = { wide: 46, narrow: 96 };
/** Height of the column heads in pixels. They stay visible above the rows. */
const HEADS = 36;

/** Grid of the trials. The page has elements only for the visible rows, so 50,000 rows scroll like 50. */
export function Grid({ research, shown, list, sd, params, picked, onPick, onAtTop, heads, busy }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const saved = readSavedList(list);
  const [active, setActive] = useState<number | null>(saved?.active ?? null);
  const height = useNarrow() ? HEIGHT.narrow : HEIGHT.wide;
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
    initialOffset: saved?.scrollTop ?? 0,
    scrollMargin: HEADS,
    scrollPaddingStart: HEADS,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const items = virtual.getVirtualItems();
  const [from, to] = [items[0]?.index ?? 0, (items.at(-1)?.index ?? -1) + 1];
  const store = useStore(research);
  useEffect(() => store.setVisible(shown.slice(from, to)), [store, shown, from, to]);
  useSavedPosition({ list, shown, active, scroller });

  const hrefFor = (n: number) => hrefOf(['r', research, 'trials', String(n)], params);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = active === null ? -1 : shown.indexOf(active);
    if (event.key === 'Enter' && active !== null) {
      location.hash = hrefFor(active);
      return;
    }
    if (event.key === ' ' && active !== null) {
      event.preventDefault();
      onPick(active);
      return;
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
              position={{ index, top: start - HEADS }}
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

interface PositionInput {
  list: string;
  shown: readonly number[];
  active: number | null;
  scroller: { current: HTMLDivElement | null };
}

/** Saves the position in a list when a person leaves it, and restores it when they come back. */
function useSavedPosition({ list, shown, active, scroller }: PositionInput): void {
  const last = useRef({ shown, active, scrollTop: 0 });
  useEffect(() => {
    last.current = { ...last.current, shown, active };
  });
  useEffect(() => {
    // A person who comes back from a trial can go on with the keyboard at once.
    if (readSavedList(list)?.active) scroller.current?.focus({ preventScroll: true });
  }, []); // only at the first render
  useEffect(() => {
    const element = scroller.current;
    element?.scrollTo({ top: readSavedList(list)?.scrollTop ?? 0 });
    const onScroll = () => {
      last.current.scrollTop = element?.scrollTop ?? 0;
    };
    onScroll();
    element?.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      element?.removeEventListener('scroll', onScroll);
      if (last.current.shown.length > 0) saveList(list, last.current);
    };
  }, [list, scroller]);
}
