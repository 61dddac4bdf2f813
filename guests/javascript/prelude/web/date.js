// Dates as Node prints them where the time zone is UTC.

export default ({ primordials }) => {
  const { dateGetTime, dateToString, define, numberIsNaN, stringLastIndexOf, stringSlice } = primordials;
  const ZONE = " (Coordinated Universal Time)";

  define(Date.prototype, {
    toString() {
      const shown = dateToString(this);
      return numberIsNaN(dateGetTime(this)) ? shown : shown + ZONE;
    },
    toTimeString() {
      const shown = dateToString(this);
      return numberIsNaN(dateGetTime(this)) ? shown : stringSlice(shown, stringLastIndexOf(shown, " ", stringLastIndexOf(shown, " ") - 1) + 1) + ZONE;
    },
  });
  return {};
};
