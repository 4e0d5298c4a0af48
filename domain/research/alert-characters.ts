/** Characters of an alert that are stored; the rest is cut off. */
export const ALERT_CHARACTERS = 1000;
