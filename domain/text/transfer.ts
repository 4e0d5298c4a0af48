/** Sizes of a transfer and the seconds since it began. */
export interface Transfer {
  /** Bytes so far. */
  bytes: number;
  /** Bytes in all; absent: unknown. */
  total?: number;
  seconds: number;
}

/** Describes a transfer with its mean rate: `512 of 3100 MB, 24.1 MB/s`; the rate is left out in the first second. */
export function describeTransfer({ bytes, total, seconds }: Transfer): string {
  const size = total === undefined ? `${inMb(bytes)} MB so far` : `${inMb(bytes)} of ${inMb(total)} MB`;
  if (seconds < 1 || bytes === 0) return size;
  const rate = bytes / 1e6 / seconds;
  return `${size}, ${rate.toFixed(rate < 100 ? 1 : 0)} MB/s`;
}

const inMb = (bytes: number): string => (bytes / 1e6).toFixed(0);
