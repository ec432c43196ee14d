// Nothing of React Router runs in a browser (decision 0064): pages have no script, or that of `account/script/account.ts`.
export {};
