const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** A moment in a table: the time of day, with the day where it is another one than today. */
export function shortMoment(at: string, now: Date = new Date()): string {
  const date = new Date(at);
  const today = date.toDateString() === now.toDateString();
  return today ? time.format(date) : `${day.format(date)}, ${time.format(date)}`;
}
