/** Most stored characters of an alert; the rest is cut off. */
export const ALERT_CHARACTERS = 1000;
