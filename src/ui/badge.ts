/** The number on the icon of the installed app: how many automations need a person. Where there are none of these, nothing. */

/** Puts `count` on the icon, or takes the number away with 0. */
export function showBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return;
  // Refused in private windows and where the app is not installed: the number is in the navigation, too.
  (count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count)).catch(() => undefined);
}
