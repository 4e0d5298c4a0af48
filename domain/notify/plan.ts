import type { DeliveryKind, MessageKind } from './message.ts';
import { MOST_LINES } from './notice.ts';

/** Most deliveries of a sink in an hour, without the daily report. */
export const HOURLY_LIMIT = 20;

/** Most claims and ends that go as one: all of them are shown. */
const MOST_NEWS = MOST_LINES;

/** A message that is in no delivery yet. */
export interface WaitingMessage {
  id: string;
  kind: MessageKind;
  dueAt: Date;
  /** True if it was due while the sink had its limit of the hour. */
  held: boolean;
}

interface Input {
  /** Messages of one sink, the oldest first. */
  waiting: readonly WaitingMessage[];
  /** Deliveries planned for the sink in the last hour, without daily reports. */
  recent: number;
  /** True if the sink takes no message at present. */
  isDown: boolean;
  now: Date;
}

/** Deliveries to make, and messages that the limit of the hour holds back. */
export interface Plan {
  deliveries: { kind: DeliveryKind; messages: string[] }[];
  held: string[];
}

/**
 * Groups the due messages of a sink into deliveries. Claims and ends wait until the oldest of them is due, and go as
 * one. Beyond {@link HOURLY_LIMIT} messages are held; the next delivery with room counts them. While a sink is down,
 * only its daily reports are planned: messages that wait can still be joined, or withdrawn if their cause is over.
 */
export function planDeliveries({ waiting, recent, isDown, now }: Input): Plan {
  const isDue = ({ dueAt }: WaitingMessage): boolean => dueAt.getTime() <= now.getTime();
  const digests = waiting.filter((message) => message.kind === 'digest' && isDue(message));
  const others = isDown ? [] : waiting.filter(({ kind }) => kind !== 'digest');
  const before = others.filter(({ held }) => held);
  const fresh = group(
    others.filter(({ held }) => !held),
    isDue,
  );
  const first = before.length === 0 ? [] : [{ kind: 'rest' as const, messages: idsOf(before) }];
  const wanted = [...first, ...fresh];
  const room = Math.max(0, HOURLY_LIMIT - recent);
  const deliveries = digests.map(({ id }) => ({ kind: 'digest' as const, messages: [id] }));
  return {
    deliveries: [...deliveries, ...wanted.slice(0, room)],
    held: wanted.slice(room).flatMap(({ kind, messages }) => (kind === 'rest' ? [] : messages)),
  };
}

const idsOf = (messages: readonly WaitingMessage[]): string[] => messages.map(({ id }) => id);

const isNews = ({ kind }: WaitingMessage): boolean => kind !== 'needs-you' && kind !== 'over';

/** Due groups in the order of their first messages: news together, any other message alone. */
function group(messages: readonly WaitingMessage[], isDue: (message: WaitingMessage) => boolean): Plan['deliveries'] {
  const news = messages.filter(isNews);
  const isNewsDue = news.some(isDue);
  const deliveries: Plan['deliveries'] = [];
  for (const message of messages) {
    if (isNews(message)) {
      const first = news.indexOf(message);
      if (first % MOST_NEWS === 0 && isNewsDue)
        deliveries.push({ kind: 'news', messages: idsOf(news.slice(first, first + MOST_NEWS)) });
    } else if (isDue(message)) deliveries.push({ kind: message.kind as DeliveryKind, messages: [message.id] });
  }
  return deliveries;
}

/** First and longest pause after a failed attempt, in ms. */
const PAUSE = { first: 60_000, longest: 3_600_000 };

/** Pause after so many failed attempts of a delivery, in ms. */
export const pauseAfter = (attempts: number): number =>
  Math.min(PAUSE.longest, PAUSE.first * 2 ** Math.max(0, Math.min(attempts, 20) - 1));
