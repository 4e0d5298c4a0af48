import type { Fleet, Slot } from '../../../api/fleet.ts';
import { formatSeconds } from '../../../../domain/text/format.ts';
import { useNow } from '../../data/use-now.ts';
import { Figure } from '../../parts/figure.tsx';
import { hrefOfTrialId } from '../../parts/trial-href.ts';
import { slotName, shareText } from './labels.ts';

const STATE_WORDS: Record<Slot['state'], string> = {
  free: 'free',
  offered: 'offered to a trial',
  leased: 'busy',
  retired: 'no longer there',
};

/** Every slot with its present run. */
export function Slots({ fleet: { slots } }: { fleet: Fleet }) {
  const shown = slots
    .filter(({ state }) => state !== 'retired')
    .sort((a, b) => a.host.localeCompare(b.host, 'en', { numeric: true }));
  if (shown.length === 0) return <p className="quiet">No slots yet: nothing can run until a worker adds one.</p>;
  return (
    <ul className="slots">
      {shown.map((slot) => (
        <SlotTile key={slot.id} slot={slot} />
      ))}
    </ul>
  );
}

function SlotTile({ slot: { id, gpu, state, trialId, since, busyHour, busyDay } }: { slot: Slot }) {
  const now = useNow();
  return (
    <li className="slot" data-state={state}>
      <p className="slot-name">
        <strong title={id}>{slotName(id)}</strong>
        {gpu === null || id.includes(gpu) ? null : <span className="quiet small">GPU {gpu}</span>}
      </p>
      <p className="small slot-now">
        <span className="slot-state">{STATE_WORDS[state]}</span>
        {trialId === null ? null : <a href={hrefOfTrialId(trialId)}>{trialId}</a>}
        {since === null ? null : (
          <span className="quiet">for {formatSeconds((now.getTime() - Date.parse(since)) / 1000)}</span>
        )}
      </p>
      <p className="small quiet slot-busy">
        {busyHour === null && busyDay === null ? (
          <span>busy share: shown after its first run</span>
        ) : (
          <>
            <meter min={0} max={1} value={busyHour ?? 0} aria-label={`Busy share of ${id} in the last hour`} />
            <span>
              <Figure figure="slot.busyHour" scopeId={id} value={busyHour}>
                {shareText(busyHour)}
              </Figure>{' '}
              of the hour,{' '}
              <Figure figure="slot.busyDay" scopeId={id} value={busyDay}>
                {shareText(busyDay)}
              </Figure>{' '}
              of the day
            </span>
          </>
        )}
      </p>
    </li>
  );
}
