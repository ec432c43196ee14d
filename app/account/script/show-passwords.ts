/** Puts a button into each password's field that shows what was typed. Sending the form hides it again: browsers remember the text of fields that show it. */
export function showPasswords(): void {
  for (const frame of document.querySelectorAll<HTMLElement>(".password")) {
    const input = frame.querySelector("input");
    if (!input || frame.querySelector("button")) continue;
    const what = input.labels?.[0]?.textContent?.toLowerCase() ?? "password";
    const button = document.createElement("button");
    button.type = "button";
    const name = Object.assign(document.createElement("span"), { className: "sr-only", textContent: what });
    const show = (isShown: boolean) => {
      input.type = isShown ? "text" : "password";
      button.replaceChildren(isShown ? "Hide " : "Show ", name);
    };
    button.addEventListener("click", () => show(input.type === "password"));
    input.form?.addEventListener("submit", () => show(false));
    show(false);
    frame.append(button);
  }
}
