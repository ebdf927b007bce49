#!/bin/bash

nodejs_version=24

# Installs the dependencies and builds the program as the account of the app.
build_slipway() {
    pushd "$install_dir" || ynh_die "No folder $install_dir"
    ynh_hide_warnings ynh_exec_as_app npm ci
    ynh_hide_warnings ynh_exec_as_app npm run build
    popd || ynh_die "No folder to return to"
}

# Writes the settings, nginx and systemd configuration from the templates of conf/.
configure_slipway() {
    ynh_config_add --template="slipway.env" --destination="$install_dir/.env"
    chmod 400 "$install_dir/.env"
    chown "$app:$app" "$install_dir/.env"
    ynh_config_add_nginx
    ynh_config_add_systemd
    yunohost service add "$app" --description="Mobile app distribution"
}
