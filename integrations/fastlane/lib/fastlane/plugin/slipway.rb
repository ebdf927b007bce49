require 'fastlane/plugin/slipway/version'

module Fastlane
  module Slipway
    # What fastlane loads, as its plugin template does.
    def self.all_classes
      Dir[File.expand_path('**/{actions,helper}/*.rb', File.dirname(__FILE__))]
    end
  end
end

Fastlane::Slipway.all_classes.each { |file| require file }
